// Makes three sizes of an image as it is displayed. Its size is checked before it is decoded, so that no header
// allocates more memory than the limit.
import type { SharpOptions } from 'sharp'
import { jpegSide, pixelsMax, scaledTo, sides } from '../../rules/content/media.ts'

type Made = { name: keyof typeof sides; bytes: Buffer; width: number; height: number }
export type Image = { width: number; height: number; variants: Made[] } | { error: { code: string; message: string } }

const limitS = 60
const options: SharpOptions = {
  limitInputPixels: pixelsMax,
  sequentialRead: true,
  // A photo with an unusual marker is accepted, a truncated one is not.
  failOn: 'error',
  pages: 1,
}

type Library = typeof import('sharp').default
let sharpLibrary: Promise<Library> | undefined

/**
 * Loaded by the first image: a worker without this queue never loads it. One thread per image and no cache, to save
 * memory.
 */
const library = () => {
  sharpLibrary ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false)
    sharp.concurrency(1)
    // Only image formats: loaders of documents, drawings and other formats are blocked.
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({
      operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff'].map((format) => `VipsForeignLoad${format}`),
    })
    return sharp
  })
  return sharpLibrary
}

const broken = { error: { code: 'image_broken', message: 'The image is damaged or truncated.' } }
const tooLarge = {
  error: { code: 'image_too_large', message: `The image has more than ${pixelsMax / 1_000_000} million pixels.` },
}
const tooSlow = {
  error: { code: 'image_too_heavy', message: `Decoding the image took longer than ${limitS} seconds.` },
}

/**
 * Decodes an image; an animation by its first frame. `width` and `height` are those of the original as it is displayed.
 */
export async function imageOf(file: string): Promise<Image> {
  const sharp = await library()
  try {
    const { width, height, autoOrient } = await sharp(file, { ...options, limitInputPixels: false }).metadata()
    if (width * height > pixelsMax) return tooLarge
    const sizeOf = (side: number) => ({ ...scaledTo(side, autoOrient), fit: 'fill' as const })
    // Decoded once; the other sizes are made from the largest.
    const { data, info } = await sharp(file, options)
      .autoOrient()
      .resize(sizeOf(sides.large))
      .toColourspace('srgb')
      .timeout({ seconds: limitS })
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    const raw = { width: info.width, height: info.height, channels: info.channels as 1 | 2 | 3 | 4 }
    const variants: Made[] = []
    for (const [name, side] of Object.entries(sides) as [Made['name'], number][]) {
      const { width, height, fit } = sizeOf(side)
      const bytes = await sharp(data, { raw }).resize({ width, height, fit }).webp({ quality: 80 }).toBuffer()
      variants.push({ name, bytes, width, height })
    }
    return { width: autoOrient.width, height: autoOrient.height, variants }
  } catch (error) {
    const { message } = error as Error
    return /pixel limit/.test(message) ? tooLarge : /^timeout/.test(message) ? tooSlow : broken
  }
}

/**
 * Makes a JPEG as social networks accept it: the first frame of an animation, on white. The image was decoded before:
 * an error is no statement about the file.
 */
export async function jpegOf(file: string): Promise<{ bytes: Buffer; width: number; height: number }> {
  const sharp = await library()
  const { autoOrient } = await sharp(file, options).metadata()
  const { data, info } = await sharp(file, options)
    .autoOrient()
    .resize({ ...scaledTo(jpegSide, autoOrient), fit: 'fill' })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .timeout({ seconds: limitS })
    .jpeg({ quality: 88 })
    .toBuffer({ resolveWithObject: true })
  return { bytes: data, width: info.width, height: info.height }
}

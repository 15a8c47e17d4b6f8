// An image, as it is displayed, in three sizes. What it costs is known before it is read: no header makes us take memory for what is not there.
import type { SharpOptions } from 'sharp'
import { pixelsMax, sides, type VariantName } from '../rules/content/media.ts'

type Made = { name: Exclude<VariantName, 'original'>; bytes: Buffer; width: number; height: number }
export type Image = { width: number; height: number; variants: Made[] } | { error: { code: string; message: string } }

const limitS = 60
const options: SharpOptions = {
  limitInputPixels: pixelsMax,
  sequentialRead: true,
  // A photo with an odd marker is a photo; one whose end is missing is none.
  failOn: 'error',
  pages: 1,
}

type Library = typeof import('sharp').default
let known: Promise<Library> | undefined

/** Loaded by the first image: a worker without this queue never has it. One thread per image, and nothing kept: memory is what is scarce. */
const library = () => {
  known ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false)
    sharp.concurrency(1)
    // What is asked for is pictures: readers of pages, drawings and other programs' files are never let near them.
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({
      operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff'].map((format) => `VipsForeignLoad${format}`),
    })
    return sharp
  })
  return known
}

const broken = { error: { code: 'image_broken', message: 'The image is broken, or its end is missing.' } }
const tooLarge = { error: { code: 'image_too_large', message: `The image has more than ${pixelsMax / 1_000_000} million pixels.` } }
const tooSlow = { error: { code: 'image_too_heavy', message: `The image takes longer than ${limitS} seconds to read.` } }

/** An animation is shown by its first frame. `width` and `height` are those of the original as it is displayed. */
export async function imageOf(file: string): Promise<Image> {
  const sharp = await library()
  try {
    const { width, height, autoOrient } = await sharp(file, { ...options, limitInputPixels: false }).metadata()
    if (width * height > pixelsMax) return tooLarge
    const sizeOf = (side: number) => {
      const scale = Math.min(1, side / Math.max(autoOrient.width, autoOrient.height))
      const [width, height] = [autoOrient.width, autoOrient.height].map((length) => Math.max(1, Math.round(length * scale)))
      return { width, height, fit: 'fill' } as { width: number; height: number; fit: 'fill' }
    }
    // Read once; the other sizes are made of the largest.
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

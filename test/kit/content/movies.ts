// Videos of any size and duration, as small as a file can be that says so.

const box = (type: string, ...content: Buffer[]): Buffer => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + content.reduce((sum, { length }) => sum + length, 0))
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, ...content])
}
const words = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at)
  return bytes
}
const one = 0x1_0000
const matrix = words(one, 0, 0, 0, one, 0, 0, 0, 0x4000_0000)
/** A quarter turn, as a telephone that is held upright writes it. */
const turned = words(0, one, 0, -one >>> 0, 0, 0, 0, 0, 0x4000_0000)

export type Movie = {
  width?: number
  height?: number
  duration_s?: number
  bytes?: number
  brand?: 'isom' | 'qt  '
  isTurned?: boolean
}

/** `bytes`: of the whole file, filled up with the content of a box of media. */
export function movie({
  width = 1_080,
  height = 1_920,
  duration_s = 10,
  bytes = 0,
  brand = 'isom',
  isTurned = false,
}: Movie = {}): Buffer {
  const duration = Math.round(duration_s * 1_000)
  const tkhd = box(
    'tkhd',
    words(7, 0, 0, 1, 0, duration, 0, 0, 0, 0),
    isTurned ? turned : matrix,
    words(width * one, height * one),
  )
  const hdlr = box('hdlr', words(0, 0), Buffer.from('vide'), words(0, 0, 0, 0))
  const moov = box(
    'moov',
    box('mvhd', words(0, 0, 0, 1_000, duration, one, 0x0100_0000, 0, 0), matrix, words(0, 0, 0, 0, 0, 0, 2)),
    box('trak', tkhd, box('mdia', hdlr)),
  )
  const ftyp = box('ftyp', Buffer.from(brand), words(0x200), Buffer.from(brand), Buffer.from('mp41'))
  const left = bytes - ftyp.length - moov.length - 8
  return Buffer.concat([ftyp, moov, box('mdat', Buffer.alloc(Math.max(0, left), 7))])
}

// Places on a sphere: distances, and circles as ranges of Morton codes, which one index of a single column serves.

/** Degrees (WGS 84). */
export type Point = { lat: number; lng: number }
/** A range of codes, inclusive. */
export type Range = readonly [from: number, to: number]

/** The bits of each coordinate: a cell is at most 10 by 19 metres large. */
const MORTON_BITS = 21
const cells = 2 ** MORTON_BITS
/** Mean radius (IUGG), in metres. */
export const EARTH_RADIUS_M = 6_371_008.8
export const METERS_PER_MILE = 1609.344

const radians = (degrees: number) => (degrees * Math.PI) / 180
const degrees = (angle: number) => (angle * 180) / Math.PI

/** Metres along the great circle (haversine). */
export function distanceOf(a: Point, b: Point): number {
  const half = (x: number, y: number) => Math.sin(radians(y - x) / 2) ** 2
  const h = half(a.lat, b.lat) + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * half(a.lng, b.lng)
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(h)))
}

const cellOf = (value: number, span: number): number =>
  Math.min(cells - 1, Math.max(0, Math.floor(((value + span / 2) / span) * cells)))

/** Interleaves the bits of two cells: numbers below 2^42. */
function interleave(x: number, y: number): number {
  let code = 0
  for (let bit = MORTON_BITS - 1; bit >= 0; bit--) code = code * 4 + ((y >> bit) & 1) * 2 + ((x >> bit) & 1)
  return code
}

/**
 * The code of a place; places that are near each other mostly have near codes. The statement of
 * entities/networks/listings.ts computes the same.
 */
export const mortonOf = ({ lat, lng }: Point): number => interleave(cellOf(lng, 360), cellOf(lat, 180))

/** Degrees, inclusive. */
export type Box = { south: number; north: number; west: number; east: number }

/**
 * Boxes that contain the circle: two where it crosses the antimeridian, and all longitudes where it contains a pole.
 */
export function boxesOf({ lat, lng }: Point, radiusM: number): Box[] {
  // Added for what rounding loses.
  const angle = radiusM / EARTH_RADIUS_M + 1e-9
  const [south, north] = [lat - degrees(angle), lat + degrees(angle)]
  const reach = Math.sin(angle) / Math.cos(radians(lat))
  if (south <= -90 || north >= 90 || reach >= 1)
    return [{ south: Math.max(-90, south), north: Math.min(90, north), west: -180, east: 180 }]
  const width = degrees(Math.asin(reach)) + 1e-7
  const [west, east] = [lng - width, lng + width]
  if (west < -180)
    return [
      { south, north, west: -180, east },
      { south, north, west: west + 360, east: 180 },
    ]
  if (east > 180)
    return [
      { south, north, west, east: 180 },
      { south, north, west: -180, east: east - 360 },
    ]
  return [{ south, north, west, east }]
}

/** Squares of the grid that a box is covered with: the more, the closer. */
const squaresMost = 256
const rangesMost = 4

/** At most four ranges that contain the codes of all places in the box. */
function rangesOfBox({ south, north, west, east }: Box): Range[] {
  const [left, right, low, high] = [cellOf(west, 360), cellOf(east, 360), cellOf(south, 180), cellOf(north, 180)]
  let shift = 0
  const count = (from: number, to: number) => (to >> shift) - (from >> shift) + 1
  while (count(left, right) * count(low, high) > squaresMost) shift++
  const size = 4 ** shift
  const codes: number[] = []
  for (let y = low >> shift; y <= high >> shift; y++)
    for (let x = left >> shift; x <= right >> shift; x++) codes.push(interleave(x, y))
  codes.sort((a, b) => a - b)
  const ranges: [number, number][] = []
  for (const code of codes) {
    const last = ranges.at(-1)
    if (last && last[1] + 1 === code) last[1] = code
    else ranges.push([code, code])
  }
  // The narrowest gaps are filled.
  while (ranges.length > rangesMost) {
    let narrowest = 1
    const gap = (at: number) => (ranges[at]?.[0] ?? 0) - (ranges[at - 1]?.[1] ?? 0)
    for (let at = 2; at < ranges.length; at++) if (gap(at) < gap(narrowest)) narrowest = at
    const [next] = ranges.splice(narrowest, 1)
    ;(ranges[narrowest - 1] as [number, number])[1] = next?.[1] ?? 0
  }
  return ranges.map(([from, to]) => [from * size, (to + 1) * size - 1])
}

/**
 * Ranges that contain the codes of all places in the circle, and of others: at most four, or eight over the
 * antimeridian.
 */
export const rangesOf = (center: Point, radiusM: number): Range[] => boxesOf(center, radiusM).flatMap(rangesOfBox)

// Every place in a circle has its code in one of the circle's ranges: also at the poles and over the antimeridian.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { distanceOf, EARTH_RADIUS_M, METERS_PER_MILE, mortonOf, type Point, rangesOf } from '../../rules/geo.ts'
import { draws } from '../kit/draws.ts'

const near = (edge: number, width: number) =>
  fc
    .double({ min: -width, max: width, noNaN: true })
    .map((off) => Math.max(-Math.abs(edge), Math.min(Math.abs(edge), edge + off)))
const lat = fc.oneof(
  fc.double({ min: -90, max: 90, noNaN: true }),
  near(90, 3),
  near(-90, 3),
  fc.constantFrom(-90, 0, 90),
)
const lng = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  near(180, 3),
  near(-180, 3),
  fc.constantFrom(-180, 0, 180),
)
const point: fc.Arbitrary<Point> = fc.record({ lat, lng })
const radius = fc.oneof(
  fc.double({ min: 1, max: 500 * METERS_PER_MILE, noNaN: true }),
  fc.constantFrom(1, 1000, 500 * METERS_PER_MILE),
)

/** A place at this distance (metres) and bearing (radians), as navigators compute it. */
function moved({ lat, lng }: Point, meters: number, bearing: number): Point {
  const [angle, from] = [meters / EARTH_RADIUS_M, (lat * Math.PI) / 180]
  const to = Math.asin(Math.sin(from) * Math.cos(angle) + Math.cos(from) * Math.sin(angle) * Math.cos(bearing))
  const turn = Math.atan2(
    Math.sin(bearing) * Math.sin(angle) * Math.cos(from),
    Math.cos(angle) - Math.sin(from) * Math.sin(to),
  )
  const east = lng + (turn * 180) / Math.PI
  return { lat: (to * 180) / Math.PI, lng: ((((east + 180) % 360) + 360) % 360) - 180 }
}
const within = (place: Point, ranges: readonly (readonly [number, number])[]) =>
  ranges.some(([from, to]) => mortonOf(place) >= from && mortonOf(place) <= to)

test('A place in a circle has its code in a range of the circle', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(point, radius, share, share, (center, meters, far, bearing) => {
      const place = moved(center, meters * far, bearing * 2 * Math.PI)
      expect(Math.abs(distanceOf(center, place) - meters * far)).toBeLessThan(1)
      expect(within(place, rangesOf(center, meters))).toBe(true)
    }),
    { numRuns: draws(2_000) },
  )
})

test('Any place that is near enough has its code in a range of the circle', () => {
  fc.assert(
    fc.property(point, point, radius, (center, place, meters) => {
      if (distanceOf(center, place) <= meters) expect(within(place, rangesOf(center, meters))).toBe(true)
    }),
    { numRuns: draws(2_000) },
  )
})

test('A circle has at most four ranges, and eight over the antimeridian', () => {
  fc.assert(
    fc.property(point, radius, (center, meters) => {
      const ranges = rangesOf(center, meters)
      // Half of the circle's width in degrees; where it holds a pole, it is all around.
      const share = Math.sin(meters / EARTH_RADIUS_M) / Math.max(1e-9, Math.cos((center.lat * Math.PI) / 180))
      const width = share >= 1 ? 180 : (Math.asin(share) * 180) / Math.PI
      const isOver = Math.abs(center.lng) > 180 - width - 1
      expect(ranges.length).toBeLessThanOrEqual(isOver ? 8 : 4)
      for (const [from, to] of ranges) expect(from <= to && from >= 0 && to < 2 ** 42).toBe(true)
    }),
    { numRuns: draws(1_000) },
  )
})

test('The ranges of a circle cover at most ten times its surface, off the edges of the grid', () => {
  const areaOf = (ranges: readonly (readonly [number, number])[]) =>
    ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0) / 2 ** 42
  const shares = [
    { lat: 52.52, lng: 13.4 },
    { lat: 40.71, lng: -74 },
    { lat: -33.87, lng: 151.2 },
    { lat: 35.68, lng: 139.7 },
  ].map((center) => {
    const angle = (25 * METERS_PER_MILE) / EARTH_RADIUS_M
    const circle = (Math.PI * angle * angle) / (2 * Math.PI * Math.PI * Math.cos((center.lat * Math.PI) / 180))
    return areaOf(rangesOf(center, 25 * METERS_PER_MILE)) / circle
  })
  expect(Math.max(...shares)).toBeLessThan(10)
})

test('Distances are those of the great circle', () => {
  expect(distanceOf({ lat: 0, lng: 179.5 }, { lat: 0, lng: -179.5 })).toBeCloseTo((EARTH_RADIUS_M * Math.PI) / 180, 3)
  expect(distanceOf({ lat: 90, lng: 0 }, { lat: 90, lng: 123 })).toBeCloseTo(0, 3)
  expect(distanceOf({ lat: 90, lng: 0 }, { lat: -90, lng: 0 })).toBeCloseTo(EARTH_RADIUS_M * Math.PI, 3)
  expect(Math.round(distanceOf({ lat: 52.5163, lng: 13.3777 }, { lat: 48.8584, lng: 2.2945 }) / 1000)).toBe(879)
})

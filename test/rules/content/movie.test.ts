// The facts of a video are read from its container, without decoding a frame.
import { expect, test } from '@jest/globals'
import { boxHead, movieFacts } from '../../../rules/content/movie.ts'
import { type Movie, movie } from '../../kit/content/movies.ts'

/** The content of the `moov` box, as a reader that walks the boxes of the file finds it. */
function moovOf(bytes: Buffer): Buffer {
  for (let at = 0; at < bytes.length; ) {
    const head = boxHead(
      new DataView(bytes.buffer, bytes.byteOffset + at, Math.min(16, bytes.length - at)),
      bytes.length - at,
    )
    if (!head) break
    if (head.type === 'moov') return bytes.subarray(at + head.header, at + head.size)
    at += head.size
  }
  throw new Error('no moov')
}
const factsOf = (given: Movie) => movieFacts(moovOf(movie(given)))

test('Width, height and duration of a video are those of its first track of pictures', () => {
  expect(factsOf({ width: 1_280, height: 720, duration_s: 12.5 })).toEqual({
    width: 1_280,
    height: 720,
    duration_s: 12.5,
  })
  expect(factsOf({ width: 1_920, height: 1_080, isTurned: true })).toMatchObject({ width: 1_080, height: 1_920 })
})

test('A video that does not say its duration or its size has none', () => {
  expect(factsOf({ width: 0, height: 720, duration_s: 0 })).toEqual({ width: null, height: null, duration_s: null })
  expect(movieFacts(new Uint8Array(0))).toEqual({ width: null, height: null, duration_s: null })
})

test('A damaged container has facts or none, and never fails', () => {
  const whole = moovOf(movie())
  for (let at = 0; at < whole.length; at++) {
    expect(() => movieFacts(whole.subarray(0, at))).not.toThrow()
    const changed = Buffer.from(whole)
    changed[at] = 0xff
    expect(() => movieFacts(changed)).not.toThrow()
  }
})

// Which errors of a page a check of the browser lets pass: those that it names, by status and path, and no others.
import { expect, test } from '@jest/globals'
import { type Heard, quiet, type Window } from './window.ts'

const origin = 'http://127.0.0.1:8080'
const id = '01a229c6-5dc2-7336-931f-00e48f1fac7b'
const refused = (status: number, path: string) => ({
  url: `${origin}${path}`,
  text: `Failed to load resource: the server responded with a status of ${status} ()`,
})
const broken = { url: `${origin}/v1/stores/${id}/orders`, text: 'Failed to load resource: net::ERR_CONNECTION_RESET' }
const windowOf = (errors: Heard['errors'], more: Partial<Heard> = {}): Window => ({
  page: undefined as unknown as Window['page'],
  take: () => ({ asked: [], foreign: [], violations: [], errors, ...more }),
  close: async () => {},
})

test('Errors that a check names by status and path pass, and no other status or path', () => {
  const errors = [refused(422, `/v1/stores/${id}/markets`), broken]
  const expected = ['422 /v1/stores/…/markets', 'ERR_CONNECTION_RESET /v1/stores/…/orders']
  expect(() => quiet(windowOf(errors), expected)).not.toThrow()
  expect(() => quiet(windowOf([...errors, refused(500, `/v1/stores/${id}/markets`)]), expected)).toThrow('500')
  expect(() => quiet(windowOf([...errors, refused(422, '/v1/stores/422')]), expected)).toThrow('/v1/stores/422')
  expect(() => quiet(windowOf([...errors, { url: '', text: 'TypeError: 422' }]), expected)).toThrow('TypeError')
})

test('An error that a check names and that did not happen fails, unless it is only possible', () => {
  expect(() => quiet(windowOf([]), ['404 /v1/erasures'])).toThrow('404 /v1/erasures')
  expect(() => quiet(windowOf([]), [], ['404 /v1/erasures'])).not.toThrow()
  expect(() => quiet(windowOf([refused(404, '/v1/erasures')]), [], ['404 /v1/erasures'])).not.toThrow()
})

test('Requests to other hosts and violations of the policy always fail', () => {
  expect(() => quiet(windowOf([], { foreign: ['https://cdn.example/'] }))).toThrow('cdn.example')
  expect(() => quiet(windowOf([], { violations: ['script-src-elem inline'] }))).toThrow('script-src-elem')
})

// No address that a user gives leads to a connection that is not public, and every send reports how far it came.
import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { egress, type HttpRequest, newEgress } from '../../activities/providers/http.ts'
import { readConfig } from '../../config.ts'
import { exceptions, isPublic } from '../../rules/input/ip-addresses.ts'
import { cert, key } from '../kit/stack/certificate.ts'

/** Listens on every address of this machine and counts connections. */
let trap: net.Server
let visits = 0
let port: number
/** A server that users are allowed to reach: `open.test`. */
let open: http.Server
let openPort: number
let seen: { method: string; url: string; headers: http.IncomingHttpHeaders; body: string }[] = []
let answer: (request: http.IncomingMessage, response: http.ServerResponse) => void
const listening = async (server: net.Server, host?: string) => {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return (server.address() as AddressInfo).port
}

/** The answers of DNS in tests; in a list of lists each lookup takes the next list. */
const names: Record<string, string[]> = {
  'open.test': ['127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  'private.test': ['10.0.0.7'],
  'loopback.test': ['127.0.0.1'],
  'loopback6.test': ['::1'],
  'mixed.test': ['93.184.215.14', '127.0.0.1'],
  'mixed6.test': ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', '::ffff:127.0.0.1'],
  'zoned.test': ['fe80::1%lo'],
  'octal.test': ['0177.0.0.1'],
  localhost: ['127.0.0.1', '::1'],
  'sub.localhost': ['127.0.0.1'],
  'nobody.test': [],
}
let asked: string[] = []
const resolve = async (name: string) => {
  asked.push(name)
  return names[name] ?? Promise.reject(Object.assign(new Error(`queryA ENOTFOUND ${name}`), { code: 'ENOTFOUND' }))
}
const guarded = newEgress({ allow: ['open.test'], resolve })
const get = (url: string): HttpRequest => ({ url, method: 'GET', timeout_ms: 5_000 })
const post = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  url,
  method: 'POST',
  body: '{}',
  timeout_ms: 5_000,
  ...more,
})
const sending = () => ({ id: 'x', firstByteBy: performance.now() + 5_000, endBy: performance.now() + 5_000 })
const at = (path: string) => `http://open.test:${openPort}${path}`

beforeAll(async () => {
  trap = net.createServer((socket) => {
    visits++
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  })
  port = await listening(trap)
  open = http.createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    seen.push({ method: request.method as string, url: request.url as string, headers: request.headers, body })
    answer(request, response)
  })
  openPort = await listening(open, '127.0.0.1')
})
beforeEach(() => {
  visits = 0
  seen = []
  asked = []
  answer = (_, response) => response.end('ok')
})
afterAll(async () => {
  open.closeAllConnections()
  await Promise.all([trap, open].map((server) => new Promise((done) => server.close(done))))
})

describe('Spellings of private addresses', () => {
  const spellings = [
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '127.255.255.254',
    '2130706433',
    '017700000001',
    '0x7f000001',
    '0x7f.1',
    '0x7f.0x0.0x0.0x1',
    '0177.0.0.1',
    '0177.0x0.0.01',
    '00000177.0.0.1',
    '%31%32%37.0.0.1',
    '①②⑦.⓪.⓪.①',
    '１２７.０.０.１',
    '127。0。0。1',
    '127．0．0．1',
    '0.0.0.0',
    '0',
    '0.0.0.1',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2002:7f00:0001::1]',
    '[2001:0:7f00:1::]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[fe80::1%25lo]',
    '[::1%25lo]',
    '[fec0::1]',
    '[ff02::1]',
    '[100::1]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[5f00::1]',
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '100.64.0.1',
    '100.100.100.200',
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '168.63.129.16',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost..',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    'sub.localhost',
    'loopback.test',
    'loopback6.test',
    'private.test',
    'zoned.test',
    'octal.test',
    'mixed.test',
    'mixed6.test',
    'metadata.google.internal',
    '0x7f000001.',
    '256.1.1.1',
    '1.2.3.4.5',
    '',
  ]
  test.each(spellings)('%s is refused as a private address, and nothing connects', async (host) => {
    const url = `http://${host}:${port}/`
    await expect(guarded.request(get(url))).rejects.toThrow(
      /^egress_(refused: (the address is not public|this is no address)|unresolved: the name has no address)$/,
    )
    await expect(guarded.check(get(url))).rejects.toMatchObject({ phase: 'not_sent' })
    expect((await guarded.send(post(url), sending())).verdict.kind).toBe('not_sent')
    expect(visits).toBe(0)
  })

  test('Every address of a reserved network is private, and its neighbours are public', () => {
    const closed: [string, number][] = [
      ['0', 8],
      ['10', 8],
      ['127', 8],
      ['169.254', 16],
      ['192.168', 16],
    ]
    const octet = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(fc.constantFrom(...closed), octet, octet, octet, ([prefix, bits], a, b, c) => {
        expect(isPublic([prefix, ...[a, b, c].slice(bits / 8 - 1)].join('.'))).toBe(false)
      }),
    )
    for (const [inside, outside] of [
      ['100.127.255.255', '100.128.0.1'],
      ['172.31.255.255', '172.32.0.1'],
      ['198.19.255.255', '198.20.0.1'],
      ['223.255.255.255', undefined],
      ['2001:1ff:ffff::1', '2001:200::1'],
      ['2002:ffff::1', '2003::1'],
      ['3fff:fff::1', '3fff:1000::1'],
    ] as const) {
      if (outside)
        expect([inside, isPublic(inside), outside, isPublic(outside)]).toEqual([inside, false, outside, true])
      else expect(isPublic(inside)).toBe(true)
    }
    for (const text of ['8.8.8.8', '93.184.215.14', '2606:4700:4700::1111', '2a00:1450:4001:81b::200e'])
      expect([text, isPublic(text)]).toEqual([text, true])
    for (const text of [
      '',
      'localhost',
      '08.8.8.8',
      '8.8.8',
      '134744072',
      '::ffff:8.8.8.8',
      '2606:4700::1%eth0',
      ' 8.8.8.8',
    ]) {
      expect([text, isPublic(text)]).toEqual([text, false])
    }
  })

  test.each([
    ['a user', (p: number) => `http://user@open.test:${p}/`, /a user or a password/],
    ['a user that looks like a host', (p: number) => `http://open.test@127.0.0.1:${p}/`, /a user or a password/],
    ['a user and a password', (p: number) => `http://open.test:80@127.0.0.1:${p}/`, /a user or a password/],
    ['a backslash', (p: number) => `http://127.0.0.1:${p}\\@open.test/`, /not public/],
    ['a fragment that looks like a host', (p: number) => `http://127.0.0.1:${p}#@open.test/`, /not public/],
    ['one slash', (p: number) => `http:/127.0.0.1:${p}/`, /not public/],
    ['tabs and newlines', (p: number) => `ht\ttp://127.0\n.0.1:${p}/`, /not public/],
    ['SSH', () => 'http://open.test:22/', /port 22/],
    ['SMTP', () => 'http://open.test:25/', /port 25/],
    ['port 0', () => 'http://open.test:0/', /port 0/],
    ['Redis on loopback', () => 'http://127.0.0.1:6379/', /not public/],
    ['no port at all', () => 'http://open.test:99999/', /no address/],
    ['a file', () => 'file:///etc/passwd', /only http and https/],
    ['gopher', (p: number) => `gopher://127.0.0.1:${p}/_x`, /only http and https/],
    ['ftp', (p: number) => `ftp://127.0.0.1:${p}/`, /only http and https/],
    ['data', () => 'data:text/plain,hi', /only http and https/],
    ['javascript', () => 'javascript:alert(1)', /only http and https/],
    ['a web socket', (p: number) => `ws://127.0.0.1:${p}/`, /only http and https/],
    ['no scheme', (p: number) => `//127.0.0.1:${p}/`, /no address/],
    ['a very long one', (p: number) => `http://open.test:${p}/${'a'.repeat(10_000)}`, /longer than/],
  ])('A URL with %s is refused, and nothing connects', async (_, url, why) => {
    await expect(guarded.request(get(url(port)))).rejects.toThrow(why)
    expect((await guarded.send(post(url(port)), sending())).verdict).toMatchObject({
      kind: 'not_sent',
      error: { code: 'egress_refused' },
    })
    expect([visits, seen]).toEqual([0, []])
  })
})

test('A host name is resolved once, and a later DNS answer has no effect', async () => {
  const answers = [['127.0.0.1'], ['10.0.0.1']]
  let times = 0
  const rebinding = newEgress({ allow: ['127.0.0.1/32'], resolve: async () => answers[times++] ?? [] })
  expect((await rebinding.request(get(`http://rebind.test:${openPort}/`))).status).toBe(200)
  expect(times).toBe(1)
  await expect(rebinding.request(get(`http://rebind.test:${openPort}/`))).rejects.toThrow(
    'egress_refused: the address is not public',
  )
})

test('A host name that is public when saved and private when sent is refused when sent', async () => {
  let times = 0
  const rebinding = newEgress({ allow: [], resolve: async () => [times++ === 0 ? '93.184.215.14' : '127.0.0.1'] })
  const request = post(`http://rebind.test:${port}/`)
  await rebinding.check(request)
  expect((await rebinding.send(request, sending())).verdict).toMatchObject({
    kind: 'not_sent',
    error: { code: 'egress_refused' },
  })
  expect(visits).toBe(0)
})

test('A request to a host name without an address is not_sent', async () => {
  for (const name of ['nobody.test', 'unheard-of.test'])
    expect((await guarded.send(post(`http://${name}/`), sending())).verdict).toMatchObject({
      kind: 'not_sent',
      error: { code: 'egress_unresolved' },
    })
})

test('A request keeps its own Host header and verifies the certificate’s server name', async () => {
  await guarded.request(get(at('/')))
  expect(seen[0]?.headers.host).toBe(`open.test:${openPort}`)
})

test('EGRESS_ALLOW opens its networks, addresses and names, and nothing beside them', () => {
  const allowed = exceptions(['10.1.0.0/16', '::1', 'LocalHost', '127.0.0.1/32'])
  expect(['10.1.2.3', '::1', '127.0.0.1'].map((text) => allowed.address(text))).toEqual([true, true, true])
  expect(
    ['10.2.0.1', '::2', '127.0.0.2', '::ffff:127.0.0.1', 'localhost'].map((text) => allowed.address(text)),
  ).toEqual([false, false, false, false, false])
  expect(['localhost', 'localhost.', 'sub.localhost', 'open.test'].map((name) => allowed.host(name))).toEqual([
    true,
    true,
    false,
    false,
  ])
})

test('EGRESS_ALLOW is empty unless set, and an invalid value stops the process', () => {
  const rest = {
    DATABASE_URL: 'postgres://x/y',
    SECRETS_KEY: 'a'.repeat(64),
    TEMPORAL_ADDRESS: 'x:1',
    STRIPE_SECRET_KEY: 'x',
    STRIPE_PUBLISHABLE_KEY: 'x',
    STRIPE_WEBHOOK_SECRET: 'x',
    SMTP_URL: 'smtp://x',
  }
  expect(readConfig(rest).egressAllow).toEqual([])
  expect(readConfig({ ...rest, EGRESS_ALLOW: '127.0.0.1/32, localhost,::1, fd00::/8' }).egressAllow).toEqual([
    '127.0.0.1/32',
    'localhost',
    '::1',
    'fd00::/8',
  ])
  for (const bad of ['10.0.0.0/33', 'http://localhost', '10.0.0.0/', 'fe80::1%/64', '1.2.3.4/8/8'])
    expect(() => readConfig({ ...rest, EGRESS_ALLOW: bad })).toThrow(/EGRESS_ALLOW must be/)
})

test('EGRESS_ALLOW lets the development stack reach its own receivers', async () => {
  expect((await egress().request(get(`http://127.0.0.1:${openPort}/`))).status).toBe(200)
})

describe('Redirects', () => {
  /** `/3` redirects to `/2`, `/1` and then to the given target. */
  const chain = (to: string) => {
    answer = (request, response) => {
      const left = Number((request.url as string).slice(1))
      response.writeHead(302, { location: left > 1 ? `/${left - 1}` : to }).end()
    }
  }
  test.each([1, 2, 3])('A redirect to loopback at hop %i connects to nothing', async (hops) => {
    for (const to of [
      `http://127.0.0.1:${port}/`,
      `http://loopback.test:${port}/`,
      `//0x7f.1:${port}/`,
      `http://[::ffff:7f00:1]:${port}/`,
    ]) {
      chain(to)
      await expect(guarded.request(get(at(`/${hops}`)), { redirects: 3 })).rejects.toThrow(
        'egress_refused: the address is not public',
      )
    }
    expect(visits).toBe(0)
  })

  test.each([
    ['with credentials', (p: number) => `http://user:secret@open.test:${p}/`, /a user or a password/],
    ['to a file', () => 'file:///etc/passwd', /only http and https/],
    ['to another port', () => 'http://open.test:6/', /port 6 /],
  ])('A redirect %s is refused', async (_, to, why) => {
    chain(to(openPort))
    await expect(guarded.request(get(at('/1')), { redirects: 3 })).rejects.toThrow(why)
  })

  test('Three redirects are followed and a fourth is refused', async () => {
    answer = (request, response) => {
      const left = Number((request.url as string).slice(1))
      if (left > 0) response.writeHead(307, { location: `/${left - 1}` }).end()
      else response.end('there')
    }
    expect(await guarded.request(get(at('/3')), { redirects: 3 })).toMatchObject({ status: 200, body: 'there' })
    await expect(guarded.request(get(at('/4')), { redirects: 9 })).rejects.toThrow(
      'egress_too_many_redirects: more than 3 redirects',
    )
  })

  test('A redirect is returned as the answer unless a GET asked to follow it', async () => {
    chain(at('/elsewhere'))
    expect((await guarded.request(get(at('/1')))).status).toBe(302)
    expect((await guarded.request(post(at('/1')), { redirects: 3 })).status).toBe(302)
    expect((await guarded.send(post(at('/1')), sending())).verdict).toEqual({
      kind: 'succeeded',
      evidence: { status: 302 },
    })
    expect(seen).toHaveLength(3)
  })

  test('A redirect to another origin carries no credentials', async () => {
    names['other.test'] = ['127.0.0.1']
    const both = newEgress({ allow: ['open.test', 'other.test'], resolve })
    answer = (request, response) => {
      if (request.headers.host?.startsWith('open'))
        response.writeHead(302, { location: `http://other.test:${openPort}/` }).end()
      else response.end('ok')
    }
    await both.request(
      { ...get(at('/')), headers: { Authorization: 'Bearer secret', 'X-Api-Key': 'secret', Accept: 'text/plain' } },
      { redirects: 1 },
    )
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer secret', 'x-api-key': 'secret' })
    expect(seen[1]?.headers).toMatchObject({ accept: 'text/plain' })
    expect(JSON.stringify(seen[1]?.headers)).not.toContain('secret')
  })
})

test.each([
  'Host',
  'content-length',
  'Transfer-Encoding',
  'connection',
  'Keep-Alive',
  'upgrade',
  'TE',
  'trailer',
  'expect',
  'Proxy-Authorization',
  'accept-encoding',
])('A user cannot set the header %s', async (name) => {
  const failed = guarded.request({ ...get(at('/')), headers: { [name]: 'my secret' } })
  await expect(failed).rejects.toThrow(`egress_refused: the header ${name} is not yours to set`)
  expect(seen).toEqual([])
})

test('A header with a line break or an invalid name is refused', async () => {
  const tricks: Record<string, string>[] = [
    { 'x-a': 'b\r\nx-c: d' },
    { 'x-a\r\nhost': 'b' },
    { 'x a': 'b' },
    { '': 'b' },
    { 'x-a': 'b\0' },
    { 'x-a': 'x'.repeat(20_000) },
  ]
  for (const headers of tricks)
    await expect(guarded.request({ ...get(at('/')), headers })).rejects.toThrow('egress_refused')
  expect(seen).toEqual([])
})

test('An answer is parsed as JSON when its type says so, and is text otherwise', async () => {
  const given: [string, string, unknown][] = [
    ['application/json', '{"a":[1]}', { a: [1] }],
    ['application/problem+json; charset=utf-8', '{"a":1}', { a: 1 }],
    ['application/json', 'not at all', 'not at all'],
    ['text/plain', '{"a":1}', '{"a":1}'],
    ['application/json', '', ''],
  ]
  for (const [type, body, expected] of given) {
    answer = (_, response) => response.writeHead(201, { 'content-type': type, 'X-Request-Id': 'r1' }).end(body)
    expect(await guarded.request(post(at('/')))).toEqual({
      status: 201,
      headers: expect.objectContaining({ 'x-request-id': 'r1' }),
      body: expected,
      text: body,
    })
  }
})

test('JSON that is nested too deep to be written again is text', async () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  for (const [body, parsed] of [
    [nested(400_000), false],
    [`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, false],
    [nested(900), true],
  ] as const) {
    answer = (_, response) => response.writeHead(400, { 'content-type': 'application/json' }).end(body)
    const { body: read } = await guarded.request(get(at('/')))
    expect([typeof read, typeof read === 'string' ? read === body : JSON.stringify(read) === body]).toEqual([
      parsed ? 'object' : 'string',
      true,
    ])
  }
})

test('A text is decoded by the charset that its type names', async () => {
  const bodyOf = async (type: string, bytes: number[]) => {
    answer = (_, response) => response.writeHead(200, { 'content-type': type }).end(Buffer.from(bytes))
    return (await guarded.request(get(at('/')))).body
  }
  expect(await bodyOf('text/html; charset=ISO-8859-1', [0x54, 0xe9])).toBe('Té')
  expect(await bodyOf('text/html; charset="shift_jis"', [0x83, 0x65])).toBe('テ')
  expect(await bodyOf('text/html; charset=utf-8', [0xc3, 0xa9])).toBe('é')
  expect(await bodyOf('text/html; charset=none', [0xc3, 0xa9])).toBe('é')
})

test('An answer of a mebibyte is whole; a longer one is an error but keeps its verdict', async () => {
  answer = (_, response) => response.end('a'.repeat(1_048_576))
  expect(((await guarded.request(get(at('/')))).body as string).length).toBe(1_048_576)
  answer = (_, response) => response.end('a'.repeat(1_048_577))
  await expect(guarded.request(get(at('/')))).rejects.toMatchObject({
    code: 'egress_answer_too_large',
    phase: 'answered',
    status: 200,
  })
  expect(await guarded.send(post(at('/')), sending())).toMatchObject({
    verdict: { kind: 'succeeded', evidence: { status: 200 }, error: { code: 'egress_answer_too_large' } },
    answer: null,
  })
})

test('An answer that never ends is cut off', async () => {
  answer = (_, response) => {
    const more = () => response.write('a'.repeat(65_536), (error) => error || more())
    more()
  }
  await expect(guarded.request(get(at('/')))).rejects.toMatchObject({ code: 'egress_answer_too_large' })
})

test('An answer with an encoding that was not requested is refused', async () => {
  answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('bomb')
  await expect(guarded.request(get(at('/')))).rejects.toMatchObject({ code: 'egress_broken_answer', status: 200 })
  expect(seen[0]?.headers['accept-encoding']).toBe('identity')
})

describe('Verdicts of sends', () => {
  const sent = async (more: Partial<HttpRequest> = {}, url = at('/')) =>
    (await guarded.send(post(url, more), sending())).verdict

  test.each([
    [200, 'succeeded'],
    [204, 'succeeded'],
    [301, 'succeeded'],
    [307, 'rejected'],
    [404, 'rejected'],
    [409, 'rejected'],
    [500, 'rejected'],
    [502, 'unknown'],
    [503, 'rejected'],
  ])('A send that is answered with %i is %s', async (status, kind) => {
    answer = (_, response) => response.writeHead(status).end()
    expect(await sent()).toMatchObject({ kind, evidence: { status } })
    expect(seen).toHaveLength(1)
  })

  test('A send whose connection breaks after the request is unknown', async () => {
    answer = (request) => request.socket.destroy()
    expect(await sent({ headers: { 'x-key': 'secret' }, body: 'secret' })).toMatchObject({
      kind: 'unknown',
      error: { code: 'egress_no_answer' },
    })
    expect(seen).toHaveLength(1)
  })

  test('A send without an answer until its timeout is unknown', async () => {
    answer = () => {}
    expect(await sent({ timeout_ms: 1_000 })).toMatchObject({ kind: 'unknown', error: { code: 'egress_no_answer' } })
  })

  test('A send answered with 200 succeeds even when the body breaks off', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half', () => response.socket?.destroy())
    }
    expect(await sent()).toMatchObject({
      kind: 'succeeded',
      evidence: { status: 200 },
      error: { code: 'egress_broken_answer' },
    })
  })

  test('A send to a closed port or past its deadline is not_sent', async () => {
    const closed = net.createServer()
    const free = await listening(closed, '127.0.0.1')
    await new Promise((done) => closed.close(done))
    expect(await sent({}, `http://open.test:${free}/`)).toMatchObject({
      kind: 'not_sent',
      error: { code: 'egress_not_sent' },
    })
    const late = { ...sending(), firstByteBy: performance.now() - 1 }
    expect((await guarded.send(post(at('/')), late)).verdict).toMatchObject({ kind: 'not_sent' })
    expect(seen).toEqual([])
  })

  test('A DNS lookup that hangs ends at the request’s timeout', async () => {
    const stuck = newEgress({ allow: [], resolve: () => new Promise(() => {}) })
    expect((await stuck.send(post('http://slow.test/', { timeout_ms: 200 }), sending())).verdict).toMatchObject({
      kind: 'not_sent',
    })
  })

  test('Every effect opens its own connection, while deliveries may share one', async () => {
    const sockets = new Set<unknown>()
    answer = (request, response) => {
      sockets.add(request.socket)
      response.end()
    }
    for (let i = 0; i < 3; i++) await sent()
    expect(sockets.size).toBe(3)
    for (let i = 0; i < 9; i++) await guarded.request(post(at('/')), { reuse: true })
    expect(sockets.size).toBeLessThan(3 + 9)
  })
})

describe('TLS', () => {
  let secure: https.Server
  let securePort: number
  let requests = 0
  beforeAll(async () => {
    secure = https.createServer({ key, cert }, (request, response) => {
      requests++
      response.end((request.socket as unknown as { servername: string }).servername)
    })
    securePort = await listening(secure, '127.0.0.1')
  })
  afterAll(() => new Promise((done) => secure.close(done)))
  const client = (ca?: string) =>
    newEgress({ allow: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'], ...(ca ? { ca } : {}) })

  test('TLS is verified under the host name of the URL', async () => {
    expect((await client(cert).request(get(`https://shop.test:${securePort}/`))).body).toBe('shop.test')
  })

  test.each([
    ['an unknown authority', undefined, 'shop.test'],
    ["another host's certificate", cert, 'other.test'],
    ["another host's certificate, by address", cert, '127.0.0.1'],
  ])('A request to %s is not_sent', async (_, ca, host) => {
    requests = 0
    const { verdict } = await client(ca).send(post(`https://${host}:${securePort}/`), sending())
    expect(verdict).toMatchObject({
      kind: 'not_sent',
      error: { code: 'egress_not_sent', message: expect.stringMatching(/certificate|altnames/) },
    })
    expect(requests).toBe(0)
  })
})

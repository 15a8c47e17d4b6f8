// Answers of gateways between us and a provider: every status, with every kind of body that is not the provider's own.
export const strangeStatuses = [200, 204, 302, 307, 401, 403, 404, 408, 409, 429, 500, 502, 503, 504]
export const strangeBodies: [name: string, body: string][] = [
  ['an empty object', '{}'],
  ["a gateway's message", '{"message":"Service Unavailable"}'],
  ['a text', '"Service Unavailable"'],
  ['a number', '5'],
  ['null', 'null'],
  ['a list', '[]'],
  ['a page', '<html><body><h1>502 Bad Gateway</h1></body></html>'],
  ['nothing', ''],
  ['half a JSON', '{"id":"re_1","object":"ref'],
  ['an error that is a text', '{"error":"bad gateway"}'],
  ['an error that is a number', '{"error":5}'],
  ["a gateway's error", '{"error":{"type":"forbidden","message":"blocked"}}'],
]

// Addresses of the networks' APIs and consent pages. With SOCIAL_API_BASE every host is a folder of that address: the
// simulator.
import { config } from '../config.ts'

type Place = { host: string; path: string; query?: Record<string, string> }

export function addressOf({ host, path, query = {} }: Place): URL {
  const url = new URL(
    config.social.apiBase === null ? `https://${host}${path}` : `${config.social.apiBase}/${host}${path}`,
  )
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}

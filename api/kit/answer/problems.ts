// The problems that a route may answer with: those of its kind, derived from its declaration, and those that it
// declares.
//   problemsOf(route)                → 401: unauthorized; 409: key_taken; …
import { isProblem, type ProblemCode, type ProblemStatus, problems } from '../../../rules/problems.ts'
import type { Refusal } from '../../../rules/refusal.ts'
import type { Route } from '../route.ts'

type Codes = { [S in ProblemStatus]?: ProblemCode<S>[] }

/** Derived from the access, the body and the method of the route. */
function ofKind({ may, method, active, path, transaction, upload, message, request, accepts }: Route): Codes {
  const isVisitor = may === 'visitor' || may === 'verified' || may === 'customer'
  const sends = method !== 'GET'
  const { unparsed } = request
  const isJson = sends && !upload && !message && !unparsed
  return {
    400: [
      'bad_request',
      ...(isJson ? (['malformed_json', 'too_deep'] as const) : []),
      ...(upload ? (['malformed_multipart'] as const) : []),
    ],
    401: may === 'public' || may === 'secret' ? [] : ['unauthorized'],
    403: [
      ...(isVisitor || active ? (['store_archived'] as const) : []),
      ...(['owner', 'super', 'platform'].includes(may) ? (['forbidden'] as const) : []),
      ...(['account', 'platform'].includes(may) && accepts !== 'store-session'
        ? (['session_limited_to_store'] as const)
        : []),
    ],
    404: path.includes('{') ? ['not_found'] : [],
    408: sends ? ['too_slow'] : [],
    // For a unique key or a foreign key that the route did not check.
    409: transaction === true ? ['already_exists', 'referenced'] : [],
    413: sends ? ['too_large'] : [],
    415: sends ? ['unsupported_encoding', ...(unparsed ? [] : (['unsupported_media_type'] as const))] : [],
    422: ['invalid_input', ...(upload ? (['required', 'too_many_files'] as const) : [])],
    // Of visitors, and of networks whose credentials failed.
    429: may === 'public' ? [] : ['too_many_requests'],
    431: ['headers_too_large'],
    500: ['internal_error'],
    503: [
      'database_unavailable',
      ...(upload ? (['storage_unavailable'] as const) : sends ? (['overloaded'] as const) : []),
    ],
  }
}

const statuses = Object.keys(problems).map(Number) as ProblemStatus[]
const problemsByRoute = new WeakMap<Route, ReadonlyMap<ProblemStatus, ReadonlySet<string>>>()

/** The codes by status, sorted. */
export function problemsOf(route: Route): ReadonlyMap<ProblemStatus, ReadonlySet<string>> {
  const found = problemsByRoute.get(route)
  if (found) return found
  const kind = ofKind(route)
  const codes = statuses.map((status) => {
    const own: string[] = [...(kind[status] ?? []), ...route.refuses.filter((code) => isProblem(status, code))]
    return [status, new Set(own.sort())] as const
  })
  const made = new Map(codes.filter(([, own]) => own.size > 0))
  problemsByRoute.set(route, made)
  return made
}

export const declares = (route: Route, { status, code }: Refusal): boolean =>
  problemsOf(route).get(status)?.has(code) ?? false

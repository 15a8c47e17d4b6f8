// The HTTP servers of the parts. By default Node closes an idle connection after 5 s, and a client that is busy at that
// moment sends its next request into the end.
import { createServer, type RequestListener, type Server } from 'node:http'

/** Idle connections stay open for 65 s, longer than any client keeps them. */
export const keptServer = (handle: RequestListener): Server => createServer({ keepAliveTimeout: 65_000 }, handle)

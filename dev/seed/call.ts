// A client of the API with the session of the demo operator.
import type { client } from '../../client/client.ts'

export type Call = ReturnType<typeof client>

// The document of the API as a file, for those who read or generate without a running server: `npm run openapi` writes it anew.
import fs from 'node:fs'
import { documentOf } from './kit/openapi.ts'
import { routes } from './routes.ts'

fs.writeFileSync(new URL('./openapi.json', import.meta.url), `${JSON.stringify(documentOf(routes), null, 1)}\n`)

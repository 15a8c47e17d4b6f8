// Writes the OpenAPI document to openapi.json, for use without a running server: `npm run openapi`.
import fs from 'node:fs'
import { document } from './document.ts'

fs.writeFileSync(new URL('./openapi.json', import.meta.url), `${JSON.stringify(document(), null, 1)}\n`)

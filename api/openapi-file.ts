// The document of the API as a file, for those who read or generate without a running server: `npm run openapi` writes it anew.
import fs from 'node:fs'
import { document } from './document.ts'

fs.writeFileSync(new URL('./openapi.json', import.meta.url), `${JSON.stringify(document(), null, 1)}\n`)

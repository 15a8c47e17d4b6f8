// Builds the shop, in the repository of Tillwright with the source of the client: a copy of the shop has its package.
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const source = fileURLToPath(new URL('../../client/client.ts', import.meta.url))

export default defineConfig({
  build: { target: 'es2023', modulePreload: { polyfill: false } },
  resolve: { alias: fs.existsSync(source) ? { 'tillwright-client': source } : {} },
})

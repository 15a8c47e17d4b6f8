// Builds the console into dist/, and serves it with hot reload beside the running stack: `npm run console`.
import fs from 'node:fs'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type ProxyOptions } from 'vite'

/** The address of the API: CONSOLE_API, or that of the stack that `npm start` runs. */
function apiOfStack(): string | undefined {
  if (process.env.CONSOLE_API) return process.env.CONSOLE_API
  const file = new URL(`../${process.env.DEV_DIR || '.dev'}/stack.json`, import.meta.url)
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as { api: string }).api : undefined
}

const withoutStack: Plugin = {
  name: 'without-stack',
  configureServer: () => {
    if (!apiOfStack()) throw new Error('No stack is running: `npm start` first, or set CONSOLE_API.')
  },
}

/**
 * Requests of the page itself reach the API as those of its own origin. A foreign origin stays what it is, and is
 * refused.
 */
function proxyTo(target: string): ProxyOptions {
  return {
    target,
    changeOrigin: true,
    configure: (proxy) =>
      proxy.on('proxyReq', (proxied, request) => {
        const { origin, host } = request.headers
        if (origin === `http://${host}`) proxied.setHeader('origin', target)
      }),
  }
}

export default defineConfig(({ command }) => {
  const api = command === 'serve' ? apiOfStack() : undefined
  const proxy = api ? proxyTo(api) : undefined
  return {
    root: import.meta.dirname,
    base: '/console/',
    plugins: [react(), withoutStack],
    build: {
      outDir: 'dist',
      target: 'es2023',
      // A data URL would need an exception of the content policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // A chunk may be large that is loaded where it is drawn. test/browser/console/first-view.ts holds the size of the
      // first view.
      chunkSizeWarningLimit: 800,
    },
    server: {
      port: 5173,
      // The client is beside this folder.
      fs: { allow: ['..'] },
      ...(proxy ? { proxy: { '/v1': proxy, '/openapi.json': proxy, '/media': proxy, '/health': proxy } } : {}),
    },
  }
})

// Builds the console into dist/ with relative addresses, so that it works on any port and under any path prefix.
import { join } from 'node:path'
import { build } from 'vite'

await build({
  root: import.meta.dirname,
  base: './',
  configFile: false,
  logLevel: 'warn',
  // React needs only JSX compiled, which Vite does without a plugin.
  oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
  build: {
    outDir: join(import.meta.dirname, 'dist'),
    target: 'es2023',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})

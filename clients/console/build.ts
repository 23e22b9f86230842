// Builds the console into dist/. Relative addresses everywhere: it works under any port and any path prefix, as it was built.
import { join } from 'node:path'
import { build } from 'vite'

await build({
  root: import.meta.dirname,
  base: './',
  configFile: false,
  logLevel: 'warn',
  // JSX is all that React needs of a build, and Vite does that itself.
  oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
  build: {
    outDir: join(import.meta.dirname, 'dist'),
    target: 'es2023',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})

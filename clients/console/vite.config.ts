// Relative addresses everywhere: the console works under any port and any path prefix, as it was built.
import { defineConfig } from 'vite'

// biome-ignore lint/style/noDefaultExport: Vite looks for it.
export default defineConfig({
  base: './',
  // JSX is all that React needs of a build, and Vite does that itself.
  oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
  build: { target: 'es2023', modulePreload: { polyfill: false }, reportCompressedSize: false },
})

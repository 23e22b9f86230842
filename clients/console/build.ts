// Builds the console into dist/ with relative addresses, so that it works on any port and under any path prefix.
import { join } from 'node:path'
import { build, type Plugin } from 'vite'

/**
 * Mantine writes some rules into <style> elements, which the content policy forbids. This puts
 * shell/inline-styles.tsx in their place, which adopts the same rules as style sheets.
 */
const adopted_styles: Plugin = {
  name: 'adopted-styles',
  enforce: 'pre',
  resolveId(source) {
    return source.endsWith('/InlineStyles.mjs')
      ? join(import.meta.dirname, 'shell/inline-styles.tsx')
      : undefined
  },
}

await build({
  root: import.meta.dirname,
  base: './',
  configFile: false,
  logLevel: 'warn',
  // React needs only JSX compiled, which Vite does without a plugin.
  oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
  plugins: [adopted_styles],
  build: {
    outDir: join(import.meta.dirname, 'dist'),
    target: 'es2023',
    // light-dark() is used as it is; rewritten for older browsers it would not follow the chosen theme.
    cssTarget: 'chrome123',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The layout engine of graphs is one large file of its own, loaded by a worker.
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: {
      // Mantine marks its files for servers that render React; there is none here.
      onwarn: (warning, show) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && show(warning),
    },
  },
})

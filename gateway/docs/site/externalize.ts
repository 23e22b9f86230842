// Makes the built pages fit any place and a strict policy: addresses relative to the page, and every inline script, style and style
// attribute in a file or class of its own.
import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { template_address, upFrom } from '../built-site.ts'

const own_folder = '_astro'

export function externalize(dist: string): void {
  const files = new Map<string, string>()
  const keep = (text: string, extension: string) => {
    const name = `${own_folder}/inline.${digest(text)}.${extension}`
    files.set(name, text)
    return name
  }
  const classes = new Map<string, string>()
  const pages = globSync('**/*.html', { cwd: dist }).map((path) => path.replaceAll('\\', '/'))
  const bare_pages = pages.map((path): [path: string, html: string] => [
    path,
    withoutInline(readFileSync(join(dist, path), 'utf8'), keep, classes),
  ])
  const rules = [...classes].map(([style, name]) => `.${name}{${style}}`)
  const sheet = `<link rel="stylesheet" href="/${keep(rules.join('\n'), 'css')}"></head>`
  for (const [path, html] of bare_pages) {
    const address = path === 'index.html' ? '' : path.replace(/\.html$/, '')
    const up = address === template_address ? '%%UP%%' : upFrom(address)
    writeFileSync(join(dist, path), relative(html.replace('</head>', sheet), up))
  }
  for (const [name, text] of files) writeFileSync(join(dist, name), text)
}

function withoutInline(
  html: string,
  keep: (text: string, extension: string) => string,
  classes: Map<string, string>,
): string {
  const classOf = (style: string) => {
    const name = classes.get(style) ?? `as-${digest(style)}`
    classes.set(style, name)
    return name
  }
  return (
    html
      .replaceAll(/<script((?:(?!\bsrc=)[^>])*)>([\s\S]*?)<\/script>/g, (_, attributes, text) =>
        text === '' ? '' : `<script${attributes} src="/${keep(text, 'js')}"></script>`,
      )
      .replaceAll(
        /<style[^>]*>([\s\S]*?)<\/style>/g,
        (_, text) => `<link rel="stylesheet" href="/${keep(text, 'css')}">`,
      )
      .replaceAll(/<[a-z][^<>]*>/g, (tag) => {
        const style = /\sstyle="([^"]*)"/.exec(tag)?.[1]
        if (style === undefined) return tag
        const bare = tag.replace(/\sstyle="[^"]*"/, '')
        const name = classOf(style)
        return /\sclass="/.test(bare)
          ? bare.replace(/\sclass="/, ` class="${name} `)
          : bare.replace(/^<[\w-]+/, `$& class="${name}"`)
      })
      // There is none, and the address would be another request.
      .replace(/<link rel="shortcut icon"[^>]*>/, '')
  )
}

/** `/governance.html` and `/governance` become `governance`, seen from the page. */
function relative(html: string, up: string): string {
  return html.replaceAll(/\s(href|src|action)="\/(?!\/)([^"]*)"/g, (_, name, path: string) => {
    const place = path
      .replace(/^index\.html/, '')
      .replace(/\.html(?=#|$)/, '')
      .replace(/\/(?=#|$)/, '')
    return ` ${name}="${up}${place === '' && up === '' ? './' : place}"`
  })
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

// Stands in for Mantine's component of the same name (see build.ts): rules as adopted style sheets, which the
// content policy allows, instead of <style> elements.
import { type InlineStylesInput, stylesToString } from '@mantine/core'
import { useInsertionEffect } from 'react'

/** @public Imported by Mantine, not by us. */
export function InlineStyles({ selector, styles, media, container }: InlineStylesInput) {
  const css = stylesToString({
    selector,
    ...(styles && { styles }),
    ...(media && { media }),
    ...(container && { container }),
  })
  useInsertionEffect(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    document.adoptedStyleSheets.push(sheet)
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet)
    }
  }, [css])
  return null
}

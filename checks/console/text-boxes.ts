// Texts that are cut off or lie over each other, measured by their boxes in the browser.
import type { Page } from 'playwright-core'

/** Each as a sentence; empty where all texts are whole and apart. */
export async function misplacedTexts(page: Page): Promise<string[]> {
  return await page.evaluate(measure)
}

/** Runs in the page, so it is text: the types of browsers are not those of tests. */
const measure = `(() => {
  const slack_px = 2
  // What only screen readers get, and what is drawn, has no box of its own.
  const apart = 'noscript, script, style, option, [class*=visuallyHidden], .skip, [aria-hidden=true]'
  const floating = '.top, .side, [data-portal], [role=dialog], [role=menu], .react-flow'
  const boxes = []
  const faults = new Set()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode
    const text = node.textContent.trim()
    const element = node.parentElement
    if (text === '' || element.closest(apart)) continue
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const is_floating = element.closest(floating) !== null
    for (const rect of range.getClientRects())
      if (rect.width > 1 && rect.height > 1) boxes.push({ element, text, rect, is_floating })
  }
  for (const { element, text, rect } of boxes)
    for (let around = element; around; around = around.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(around)
      if (overflowX === 'auto' || overflowX === 'scroll') break
      // Text that ends in an ellipsis is whole on hover or in its details.
      if (overflowX === 'visible' || textOverflow === 'ellipsis') continue
      const box = around.getBoundingClientRect()
      if (rect.right > box.right + slack_px || rect.left < box.left - slack_px) faults.add('cut off: ' + text)
      break
    }
  for (const { element, text, rect } of boxes) {
    const box = element.closest('.stat')?.getBoundingClientRect()
    if (box && (rect.right > box.right || rect.left < box.left)) faults.add('wider than its box: ' + text)
  }
  for (const [index, one] of boxes.entries())
    for (const other of boxes.slice(index + 1)) {
      if (one.is_floating !== other.is_floating) continue
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue
      const wide = Math.min(one.rect.right, other.rect.right) - Math.max(one.rect.left, other.rect.left)
      const high = Math.min(one.rect.bottom, other.rect.bottom) - Math.max(one.rect.top, other.rect.top)
      if (wide > slack_px && high > slack_px * 2) faults.add(one.text + ' lies over ' + other.text)
    }
  return [...faults]
})()`

/** Addresses that lead elsewhere, or nowhere, where a page of this site is expected. */
export const redirect_traps = [
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/.//evil.example',
  '/docs/..//evil.example',
  '/%2e\\/evil.example',
  'evil',
  '',
  'javascript:1',
]

import { useState } from 'react'

type Theme = 'light' | 'dark'

/** Follows the system until a theme is chosen; the choice is stored in this browser. */
export function startTheme(): void {
  const item = localStorage.getItem('svc-theme')
  if (item === 'light' || item === 'dark') document.documentElement.dataset.theme = item
}

export function ThemeButton() {
  const [theme, setTheme] = useState<Theme>(themeNow)
  const other: Theme = theme === 'dark' ? 'light' : 'dark'
  const turn = () => {
    document.documentElement.dataset.theme = other
    localStorage.setItem('svc-theme', other)
    setTheme(other)
  }
  return (
    <button type="button" className="plain" onClick={turn}>
      {other === 'dark' ? 'Dark' : 'Light'}
    </button>
  )
}

function themeNow(): Theme {
  const { theme } = document.documentElement.dataset
  if (theme === 'light' || theme === 'dark') return theme
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

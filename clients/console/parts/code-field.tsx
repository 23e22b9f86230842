// JSON or Cedar in an editor, whose code is loaded when it is needed.
import { Input } from '@mantine/core'
import { lazy, Suspense } from 'react'

export interface CodeProps {
  readonly label: string
  readonly value: string
  readonly language?: 'json' | 'cedar'
  readonly fault?: string | undefined
  readonly hint?: string | undefined
  onChange(text: string): void
}

const Editor = lazy(async () => ({ default: (await import('./code-editor.tsx')).CodeEditor }))

export function CodeField(props: CodeProps) {
  const { label, value, fault, hint } = props
  return (
    <Suspense
      fallback={
        <div className="field">
          <Input.Label component="div">{label}</Input.Label>
          <pre className="code-field waiting" aria-busy="true">
            {value}
          </pre>
          {(fault ?? hint) && <Input.Description component="p">{fault ?? hint}</Input.Description>}
        </div>
      }
    >
      <Editor {...props} />
    </Suspense>
  )
}

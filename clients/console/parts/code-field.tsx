// JSON or Cedar in an editor, whose code is loaded when it is needed.
import { Input } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { CodeProps } from './code-props.ts'

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

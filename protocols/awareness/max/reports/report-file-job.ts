// A compliance report as a file, in a worker. The same report always gives the same bytes.
import PdfDocument from 'pdfkit'
import { csvOf } from './csv.ts'
import { type IssuedReport, type Section, sectionsOf, signedReport } from './report-rows.ts'

export interface ReportFileTask extends IssuedReport {
  readonly format: 'csv' | 'pdf'
}

const margin = 50
const name_width = 130
const gap = 10

export async function compute(task: ReportFileTask): Promise<Uint8Array> {
  const sections = sectionsOf(task)
  return task.format === 'csv'
    ? Buffer.from(csvText(sections), 'utf8')
    : await pdfOf(sections, task.attestation)
}

function csvText(sections: readonly Section[]): string {
  const rows = sections.flatMap(({ title, rows: own }) =>
    own.map(({ name, value, detail = '' }) => [title, name, value, detail]),
  )
  return csvOf([['section', 'name', 'value', 'detail'], ...rows])
}

async function pdfOf(sections: readonly Section[], attestation: string): Promise<Uint8Array> {
  const { tenant_id, period, issued_at } = signedReport(attestation)
  const title = `Compliance report of ${tenant_id}, ${period.from} to ${period.to}`
  // The attestation is in the keywords in one piece, so that svc report verify finds it.
  const info = { Title: title, CreationDate: new Date(issued_at), Keywords: attestation }
  const document = new PdfDocument({ size: 'A4', margin, info, compress: false, lang: 'en' })
  const chunks: Buffer[] = []
  document.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = new Promise<void>((resolve) => document.on('end', resolve))
  document.font('Helvetica-Bold').fontSize(16).text(shown(title))
  for (const section of sections.filter(({ rows }) => rows.length > 0))
    writeSection(document, shortened(section))
  document.end()
  await ended
  return Buffer.concat(chunks)
}

/** Pages of base64 help nobody: it is in the properties of the file. */
function shortened({ title, rows }: Section): Section {
  const value = 'In the properties of this file, as keywords.'
  return { title, rows: rows.map((row) => (row.name === 'Attestation' ? { ...row, value } : row)) }
}

function writeSection(document: PDFKit.PDFDocument, { title, rows }: Section): void {
  const { page } = document
  const value_left = margin + name_width + gap
  const value_width = page.width - margin - value_left
  document.moveDown().font('Helvetica-Bold').fontSize(12).text(title, margin)
  document.moveDown(0.3).fontSize(9)
  for (const { name, value, detail } of rows) {
    const [left, right] = [shown(name), shown(detail === undefined ? value : `${value}: ${detail}`)]
    const room = page.height - margin - document.y
    const height = document.font('Helvetica').heightOfString(right, { width: value_width })
    if (height > room && height < page.height - 2 * margin) document.addPage()
    const top = document.y
    document.font('Helvetica-Bold').text(left, margin, top, { width: name_width })
    const left_end = document.y
    document.font('Helvetica').text(right, value_left, top, { width: value_width })
    document.y = Math.max(document.y, left_end)
    document.x = margin
  }
}

/** The fonts that every reader brings have Latin letters; any other character is shown by its number, so that none is lost. */
function shown(text: string): string {
  return text.replace(/[^\x20-\x7e\u00a0-\u00ff]/gu, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`)
}

{{/* What several templates say in the same words. */}}
{{- define "svc.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "svc.labels" -}}
app.kubernetes.io/name: svc
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "svc.selector" -}}
app.kubernetes.io/name: svc
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{- define "svc.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "svc.secretName" -}}
{{- .Values.secrets.existingSecret | default (printf "%s-keys" (include "svc.name" .)) -}}
{{- end -}}

{{/* Of a pod: no token, no root, no rights, spread over machines and zones. */}}
{{- define "svc.podSpec" -}}
serviceAccountName: {{ include "svc.name" .root }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
topologySpreadConstraints:
  {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "svc.selector" $ | nindent 8 }}
  {{- end }}
{{- end -}}

{{- define "svc.containerBase" -}}
image: {{ include "svc.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* Never /ready: it also tells of what all engines share, and all of them would be taken away at once. */}}
{{- define "svc.probes" -}}
{{- $port := .port -}}
{{- $scheme := .scheme | default "HTTP" -}}
startupProbe:
  httpGet: { path: {{ .path }}, port: {{ $port }}, scheme: {{ $scheme }} }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: {{ div (int .start | default 120) 2 }}
livenessProbe:
  httpGet: { path: {{ .path }}, port: {{ $port }}, scheme: {{ $scheme }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: { path: {{ .path }}, port: {{ $port }}, scheme: {{ $scheme }} }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
{{- end -}}

{{- define "svc.env" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{/* Files of the keys a part needs, and of no other. */}}
{{- define "svc.keysVolume" -}}
- name: keys
  secret:
    secretName: {{ include "svc.secretName" .root }}
    # 0440: the group of the pod, and nobody else.
    defaultMode: 288
    items:
      {{- range .keys }}
      - { key: {{ . }}, path: {{ . }} }
      {{- end }}
{{- end -}}

{{/* Of network policies: the pods of one part, and the way to where data is kept. */}}
{{- define "svc.pods" -}}
- podSelector:
    matchLabels: {{- include "svc.selector" . | nindent 6 }}
{{- end -}}

{{- define "svc.store" -}}
- ports: [{ protocol: TCP, port: {{ .port }} }]
  {{- with .to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "slice-trainer.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (default .Chart.Name .Values.nameOverride) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "slice-trainer.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "slice-trainer.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}{{ include "slice-trainer.fullname" . }}{{ else }}default{{ end -}}
{{- end -}}

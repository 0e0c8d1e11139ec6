{{- define "unskew.labels" -}}
app.kubernetes.io/name: unskew
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "plumbline.labels" -}}
app.kubernetes.io/name: plumbline
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "plumbline.metadataLabels" -}}
{{ include "plumbline.labels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* The prefix of all names. */}}
{{- define "plumbline.name" -}}
{{- if contains "plumbline" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-plumbline" .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end -}}

{{- define "plumbline.secretName" -}}
{{- .Values.secret.existingSecret | default (include "plumbline.name" .) -}}
{{- end -}}

{{/* The settings file of all nodes. */}}
{{- define "plumbline.settings" -}}
{{- $shutdown := .Values.shutdown -}}
{{- $fixed := dict
  "http" (dict "host" "0.0.0.0" "port" 8080 "public_url" .Values.publicUrl
    "shutdown_delay" (printf "%ds" (int $shutdown.delaySeconds))
    "shutdown_timeout" (printf "%ds" (int $shutdown.timeoutSeconds)))
  "management" (dict "host" "0.0.0.0" "port" 9090)
  "data" (dict "dir" "/var/lib/plumbline/data")
  "cluster" (dict "enabled" true "port" (int .Values.cluster.port) "insecure" .Values.cluster.insecure) -}}
{{- if .Values.cluster.tlsSecret -}}
{{- $_ := merge $fixed.cluster (dict "tls_certificate" "/etc/plumbline/tls/tls.crt"
  "tls_key" "/etc/plumbline/tls/tls.key" "tls_ca" "/etc/plumbline/tls/ca.crt") -}}
{{- end -}}
{{ toYaml (mergeOverwrite (deepCopy .Values.settings) $fixed) }}
{{- end -}}

{{/* The data of the Secret that the chart creates. Optional values that are empty are omitted. */}}
{{- define "plumbline.secretData" -}}
{{- $message := "Set secret.existingSecret, or secret.databaseUrl and secret.sessionSecret." -}}
database-url: {{ required $message .Values.secret.databaseUrl | toString | b64enc | quote }}
session-secret: {{ required $message .Values.secret.sessionSecret | toString | b64enc | quote }}
{{- range $key, $value := dict
  "session-previous-secret" .Values.secret.sessionPreviousSecret "bootstrap-email" .Values.secret.bootstrapEmail
  "bootstrap-password" .Values.secret.bootstrapPassword "bootstrap-api-key" .Values.secret.bootstrapApiKey }}
{{- with $value }}
{{ $key }}: {{ toString . | b64enc | quote }}
{{- end }}
{{- end }}
{{- end -}}

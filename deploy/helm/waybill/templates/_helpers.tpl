{{/* Names, labels, and the parts that all pods have in common. */}}

{{- define "waybill.fullname" -}}
{{- $name := .Release.Name -}}
{{- if not (contains "waybill" $name) }}{{ $name = printf "%s-waybill" $name }}{{ end -}}
{{- default $name .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{/* The name is fixed: alert rules and dashboard expect a scrape job called waybill. */}}
{{- define "waybill.selector" -}}
app.kubernetes.io/name: waybill
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "waybill.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "waybill.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "waybill.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ default (include "waybill.fullname" .) .Values.serviceAccount.name }}
{{- else }}{{ default "default" .Values.serviceAccount.name }}{{ end -}}
{{- end }}

{{- define "waybill.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest }}{{ $image.repository }}@{{ $image.digest }}
{{- else }}{{ $image.repository }}:{{ default .Chart.AppVersion $image.tag }}{{ end -}}
{{- end }}

{{/* Host and path of the public URL. */}}
{{- define "waybill.host" -}}
{{- regexReplaceAll ":[0-9]+$" (urlParse .Values.baseUrl).host "" -}}
{{- end }}
{{- define "waybill.path" -}}
{{- default "/" (trimSuffix "/" (urlParse .Values.baseUrl).path) -}}
{{- end }}

{{- define "waybill.evidenceClaim" -}}
{{- default (printf "%s-evidence" (include "waybill.fullname" .)) .Values.evidence.volume.existingClaim -}}
{{- end }}

{{/* The secrets of a pod, as a YAML list of settings. Only the migration may change the schema. */}}
{{- define "waybill.secretNames" -}}
{{- $isMigration := eq .component "migrate" -}}
{{- range $name, $_ := .root.Values.secrets }}
{{- if or $isMigration (ne $name "DATABASE_OWNER_URL") }}
- {{ $name }}
{{- end }}
{{- end }}
{{- end }}

{{- define "waybill.podSecurity" -}}
runAsNonRoot: true
{{- if not .Values.openshift.enabled }}
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "waybill.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* Called with root and component: serve, work or migrate. */}}
{{- define "waybill.env" -}}
{{- $values := .root.Values -}}
- { name: NODE_ENV, value: production }
- { name: HOST, value: 0.0.0.0 }
- { name: PORT, value: '8001' }
{{- if ne .component "migrate" }}
- { name: WAYBILL_METRICS_PORT, value: '9464' }
- { name: WAYBILL_ROLE, value: {{ .component }} }
{{- end }}
- { name: WAYBILL_DATA_DIR, value: /data }
- name: WAYBILL_BASE_URL
  value: {{ $values.baseUrl | quote }}
- name: WAYBILL_EVIDENCE_URL
  value: {{ default "file:///evidence" $values.evidence.url | quote }}
{{- if and $values.tls.existingSecret (eq .component "serve") }}
- { name: WAYBILL_TLS_CERT_FILE, value: /etc/waybill/tls/tls.crt }
- { name: WAYBILL_TLS_KEY_FILE, value: /etc/waybill/tls/tls.key }
{{- end }}
{{- if or $values.customCA.configMap $values.customCA.secret }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/waybill/ca/ca.crt }
{{- end }}
{{- range include "waybill.secretNames" . | fromYamlArray }}
- name: {{ . }}_FILE
  value: /run/secrets/waybill/{{ . }}
{{- end }}
{{- range $name, $value := $values.settings }}
- name: {{ $name }}
  {{- /* Helm reads all numbers as floating-point numbers. */}}
  value: {{ ternary (printf "%.0f" $value) (toString $value) (kindIs "float64" $value) | quote }}
{{- end }}
{{- with $values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "waybill.mounts" -}}
{{- $values := .root.Values -}}
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
- { name: secrets, mountPath: /run/secrets/waybill, readOnly: true }
{{- if and (not $values.evidence.url) (ne .component "migrate") }}
- { name: evidence, mountPath: /evidence }
{{- end }}
{{- if and $values.tls.existingSecret (eq .component "serve") }}
- { name: tls, mountPath: /etc/waybill/tls, readOnly: true }
{{- end }}
{{- if or $values.customCA.configMap $values.customCA.secret }}
- { name: ca, mountPath: /etc/waybill/ca, readOnly: true }
{{- end }}
{{- with $values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "waybill.volumes" -}}
{{- $values := .root.Values -}}
- { name: data, emptyDir: {} }
- { name: tmp, emptyDir: {} }
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range $name := include "waybill.secretNames" . | fromYamlArray }}
      {{- $from := index $values.secrets $name | default dict }}
      - secret:
          name: {{ default $values.existingSecret $from.name }}
          items:
            - { key: {{ default $name $from.key | quote }}, path: {{ $name }} }
      {{- end }}
{{- if and (not $values.evidence.url) (ne .component "migrate") }}
- name: evidence
  persistentVolumeClaim:
    claimName: {{ include "waybill.evidenceClaim" .root }}
{{- end }}
{{- if and $values.tls.existingSecret (eq .component "serve") }}
- name: tls
  secret:
    secretName: {{ $values.tls.existingSecret }}
    defaultMode: 0440
{{- end }}
{{- with $values.customCA }}
{{- if or .configMap .secret }}
- name: ca
  projected:
    sources:
      - {{ ternary "configMap" "secret" (not (empty .configMap)) }}:
          name: {{ default .secret .configMap }}
          items:
            - { key: {{ .key | quote }}, path: ca.crt }
{{- end }}
{{- end }}
{{- with $values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* One deployment. Called with root and component: serve or work. */}}
{{- define "waybill.deployment" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
{{- $own := index $values .component -}}
{{- $isServing := eq .component "serve" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "waybill.fullname" $root }}-{{ .component }}
  labels:
    {{- include "waybill.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  {{- if not (and $isServing $own.autoscaling.enabled) }}
  replicas: {{ $own.replicas }}
  {{- end }}
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels:
      {{- include "waybill.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  template:
    metadata:
      labels:
        {{- include "waybill.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
        {{- with merge (dict) $own.podLabels $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with merge (dict) $own.podAnnotations $values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "waybill.serviceAccount" $root }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
      {{- with $values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with $values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        {{- include "waybill.podSecurity" $root | nindent 8 }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "waybill.selector" $root | nindent 14 }}
              app.kubernetes.io/component: {{ .component }}
      containers:
        - name: waybill
          image: {{ include "waybill.image" $root | quote }}
          imagePullPolicy: {{ $values.image.pullPolicy }}
          args: [serve]
          securityContext:
            {{- include "waybill.containerSecurity" $root | nindent 12 }}
          env:
            {{- include "waybill.env" . | nindent 12 }}
          {{- with $values.extraEnvFrom }}
          envFrom:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          ports:
            {{- if $isServing }}
            - { name: http, containerPort: 8001 }
            {{- end }}
            - { name: metrics, containerPort: 9464 }
          # A start may wait for a migration by another process.
          startupProbe:
            httpGet: { path: /healthz, port: metrics }
            periodSeconds: 5
            failureThreshold: 120
          livenessProbe:
            httpGet: { path: /healthz, port: metrics }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet:
              path: /ready
              port: {{ ternary "http" "metrics" $isServing }}
              {{- if and $isServing $values.tls.existingSecret }}
              scheme: HTTPS
              {{- end }}
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 2
          resources:
            {{- toYaml $own.resources | nindent 12 }}
          volumeMounts:
            {{- include "waybill.mounts" . | nindent 12 }}
      volumes:
        {{- include "waybill.volumes" . | nindent 8 }}
      {{- with $own.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $own.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $own.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end }}

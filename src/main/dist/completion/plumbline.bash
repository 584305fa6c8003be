# Completion of plumbline for bash. Copy to /usr/share/bash-completion/completions/plumbline or source it.
eval "$(plumbline completion bash)"

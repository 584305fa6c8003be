# Completion of plumbline for zsh. Source it in ~/.zshrc after compinit.
eval "$(plumbline completion zsh)"

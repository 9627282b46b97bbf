"""Kubernetes documents from pieces of a plan: typed, pure, one function per kind. No templates and no decisions."""

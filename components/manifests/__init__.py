"""Kubernetes documents from pieces of a plan: pure, one function per kind. No templates and no decisions."""

project     = "cobalt-dev-114"
environment = "dev"
image       = "us-docker.pkg.dev/cobalt-dev-114/train/lm:main"
slices = {
  small = { topology = "2x4", chips = 8 }
}

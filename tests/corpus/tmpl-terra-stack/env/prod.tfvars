project     = "cobalt-prod-114"
environment = "prod"
image       = "us-docker.pkg.dev/cobalt-prod-114/train/lm:v88"
slices = {
  wide-0 = { topology = "8x8", chips = 64 }
  wide-1 = { topology = "8x8", chips = 64 }
  eval   = { topology = "4x4", chips = 32 }
}

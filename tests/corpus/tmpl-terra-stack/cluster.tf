resource "google_container_cluster" "main" {
  name                     = "cobalt-${var.environment}"
  location                 = var.region
  initial_node_count       = 1
  remove_default_node_pool = true
  release_channel {
    channel = "RAPID"
  }
  workload_identity_config {
    workload_pool = "${var.project}.svc.id.goog"
  }
  deletion_protection = var.environment == "prod"
}

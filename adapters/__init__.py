"""Every effect and no decision of ours: HTTP, services, stores."""

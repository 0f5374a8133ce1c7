"""What commands share: flags, output and the screen. A start loads this file: keep it light."""

# Set to "1" by --trust-folder, for one command.
TRUST_FOLDER_VARIABLE = "WEBSEAM_TRUST_FOLDER"

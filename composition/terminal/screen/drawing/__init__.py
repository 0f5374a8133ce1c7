"""What every screen is drawn with: styled lines, tables, figures with nouns, markdown."""

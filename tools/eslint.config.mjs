// Rules for the scripts of the review page, which are one script: sh tools/lint_page.sh
export default [
  {
    files: ['**/*.js'],
    languageOptions: {
      ecmaVersion: 2022,
      sourceType: 'script',
      globals: Object.fromEntries(
        ['document', 'window', 'localStorage', 'Intl', 'Blob', 'URL', 'setTimeout', 'clearTimeout', 'requestAnimationFrame'].map((name) => [name, 'readonly']),
      ),
    },
    rules: {
      'no-undef': 'error',
      'no-unused-vars': 'error',
      'no-redeclare': 'error',
      'no-shadow': 'error',
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      eqeqeq: 'error',
      'no-restricted-properties': [
        'error',
        ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'write', 'createContextualFragment'].map((property) => ({
          property,
          message: 'Texts of others are text nodes only.',
        })),
      ],
    },
  },
];

# The median of value[key, 1] … value[key, count[key]]; 0 if there are none. Included before the programs of core.sh and lavinhash.sh.
function median(key,    i, j, n, t, v) {
	n = count[key]
	for (i = 1; i <= n; i++)
		v[i] = value[key, i]
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j - 1] > v[j]; j--) {
			t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
		}
	return n == 0 ? 0 : n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

cd /tmp/h/thirteen
for f in test/unit/propensity/split/calibration-simulated.test.ts test/reference/user-form-bias.test.ts test/reference/weights-from.test.ts test/reference/crawlers.test.ts test/reference/strata-correction.test.ts test/unit/propensity/split/gamma-interval.test.ts test/unit/drift/ranks/rank-run-length.test.ts test/unit/drift/presence/vanished.test.ts test/reference/own-list-feedback.test.ts test/reference/binomial-coverage.test.ts test/unit/propensity/split/calibration.test.ts test/unit/drift/ranks/ranked-series.test.ts test/unit/stream/drift/failing-model.test.ts test/reference/calibrated-coverage.test.ts test/reference/caused-popularity.test.ts test/integration/gamma-recovery.test.ts; do
 s=$(date +%s); echo "== $f start $(date +%T) load $(cut -d' ' -f1 /proc/loadavg)"
 UNSKEW_TESTS=long timeout 590 npx vitest run --project core --maxWorkers=1 $f > /tmp/h/state/t13/$(basename $f).log 2>&1; rc=$?
 echo "   rc $rc $(( $(date +%s)-s )) s"; grep -E "Tests |✗|×|FAIL|AssertionError" /tmp/h/state/t13/$(basename $f).log | head -8
done
echo ALLDONE

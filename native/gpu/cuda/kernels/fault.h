// Planted faults, for the test-only build that shows that the self-test finds them.
// In a normal build planted() is constant false and every trace of a fault is compiled away.
#pragma once

namespace sglint::gpu {

enum class Fault : int {
  kNone,
  kDecayDropped,        // the state is not decayed before it is read
  kSuffixProductWrong,  // an entry's weight includes its own decay
  kStaleRingEntry,      // one entry past the cursor is read
  kCursorNotAdvanced,   // the cursor of odd slots stays
  kFlushSkipped,        // the state is not written on a flush
  kFlushLate,           // a forced flush is ignored, the entry is appended instead
  kPaddedRowWritten,    // a row of -1 works on slot 0
  kHeadMapWrong,        // a value head reads the next key head
  kBetaNotApplied,      // d = v - S k
  kScaleMissing,        // q is normalised but not scaled
  kWrongSlot,           // the state of the neighbouring slot is read
  kRace,                // the barrier before the ring's weights are read is missing
  kKeyNormMissing,      // the ring's keys are used without their norm
  kRankOneMissing,      // the output lacks d (k.q)
  kOutputNotWritten,    // the last output channel of a head is not written
  kCopyKeepsCursor,     // a copied slot keeps the cursor it had
  kFoldOneTooMany,      // one draft token more than accepted is committed
  kVerifyWritesState,   // verify leaves the drafts in the state
  kCount
};

// The name in requests and reports, e.g. "decay_dropped"; nullptr past the end.
const char* fault_name(Fault fault);

#ifdef SGLINT_FAULT_INJECTION
inline constexpr bool kFaultInjection = true;
#else
inline constexpr bool kFaultInjection = false;
#endif

}  // namespace sglint::gpu

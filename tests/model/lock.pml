/* A model of one lock: the lease service, azlock and its guard on the holder's host, a contender, an operator, another
 * tool, time. Everything may happen to the holder. The contender looks at the lock and later acquires the version that it
 * saw, as soon as the service allows it. Its acquire or the answer to it may be lost. It may give up before its command
 * starts: it was interrupted, or it died. The other tool acquires and releases the lease of a free lock and knows nothing
 * of records. azlock lease acquire looks and acquires like the contender; its user may know the holder's lease id.
 * scripts/model.sh checks "never two commands at once" (the asserts) and, with -DLIVE, "a waiter gets in when the
 * holder dies". Variants with one rule removed must fail:
 *   ANSWER, NOMARGIN, NOGUARD, NOQUARANTINE, TERM_ON_LOSS, NOCHECK;
 *   THAW_FIRST: after a pause the command goes on before the record is written again;
 *   REACQUIRE: an acquire without an answer is looked up by another acquire of its id, not by a renew;
 *   STATE_ONLY: no wait for a holder that did not say that its command has ended;
 *   RELEASE, with STATE_ONLY: who gives up releases a lease that follows a broken one;
 *   BELIEVE: a process that is no descendant of the lock's command runs because it has the environment of one;
 *   FORGETS: lease acquire on a free lock acquires, and dies before it keeps what the record tells;
 *   LEASE_FIRST: so does lease acquire --proposed-id on a lock that somebody holds.
 * So must a variant that breaks an assumption: STRANGER_EXPIRES (the other tool lets its lease expire after a break).
 *
 * Time is counted in ticks. A message takes any number of ticks, or is lost. What a live process must do at once, it
 * does before the next tick (docs/lock.md, assumption 3). The host's clock misses one tick at some moment
 * (assumption 2). A paused host runs nothing. When it goes on, its command is frozen before it does anything. */

#ifndef LOSSES
#define LOSSES 1
#endif
#define TTL 6
#define KILL_AFTER 1
#ifdef NOMARGIN
#define MARGIN 0
#else
#define MARGIN 2               /* one tick for the clock, one to do what is due */
#endif
#define NONE 2                 /* no host */

mtype:lease = { available, leased, expired, breaking, broken };
mtype:command = { absent, running, asleep, frozen };
mtype:call = { quiet, asked, granted, denied };
mtype:role = { waiting, settling, holding, finished };
/* What somebody saw of the blob's present version: that it is free (over: its lease had expired, and no command may run),
 * or leased. leased_over: the lease of a version that was over is acquired, and its end is to be written. */
mtype:view = { nothing, seen, seen_over, seen_leased, leased_over };

/* the service */
mtype:lease state = available;
byte holder = NONE;            /* while expired or broken: the last holder */
byte lease_left = 0;

typedef Host {
    mtype:role role = waiting;
    mtype:command command = absent;
    mtype:call call = quiet;   /* acquire while waiting, renew otherwise */
    byte age = 0;              /* ticks since the call was sent, on this host's clock */
    byte kill_left = 0;        /* ticks until KILL, on this host's clock */
    byte quarantine = 0;
    bool slow = false;         /* its clock has missed its tick */
    bool proof = false;        /* the call was sent after the command was frozen */
    bool azlock = true;        /* azlock is alive */
    bool guard = true;
    bool stopped = false;      /* only azlock is stopped (SIGSTOP) */
    bool paused = false;       /* the whole host is paused */
    bool quarantined_lease = false;
    bool recorded = false      /* the record names this holder; written under the lease. Frozen: no renew has proved it yet */
};
Host h[1];
byte losses = LOSSES;
#ifndef LOST_ACQUIRES
#define LOST_ACQUIRES 1
#endif
byte lost_acquires = LOST_ACQUIRES;   /* of the contender */
#ifndef BREAKS
#define BREAKS 1
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef PAUSES
#define PAUSES 1
#endif
byte breaks = BREAKS;
byte crashes = CRASHES;
byte pauses = PAUSES;
mtype:role contender = waiting;
byte contender_waits = 0;
bool contender_keeps = false;  /* it took the lease in place of a holder whose command may still run */
mtype:view contender_saw = nothing;
bool contender_lost = false;   /* its acquire was not answered: the lease may be its own */
mtype:view acquire_saw = nothing;  /* azlock lease acquire */
bool former = false;           /* the record is of a lease acquire, with the times of a holder before it */
bool ended = true;             /* the record: the command of the last holder has ended, or there was none */
#ifndef GIVEUPS
#define GIVEUPS 1
#endif
#ifndef STRANGERS
#define STRANGERS 1
#endif
byte giveups = GIVEUPS;
byte strangers = STRANGERS;
#ifndef ACQUIRES
#define ACQUIRES STRANGERS
#endif
byte acquires = ACQUIRES;
#ifdef BELIEVE
bool outsider = false;         /* runs, because it believes that it is inside the lock */
#endif

#define free (state == available || state == expired || state == broken)
/* The command of the last holder may still run. */
#ifdef STATE_ONLY
#define may_run (state == broken)
#else
#define may_run (state == broken || ((state == available || (state == expired && former)) && !ended))
#endif

#define up(i) (h[i].azlock && !h[i].stopped && !h[i].paused)
#ifdef NOGUARD
#define keeps_time(i) up(i)
#else
#define keeps_time(i) (!h[i].paused && (h[i].guard || up(i)))
#endif
#define must_end(i) (h[i].command == running && h[i].kill_left == 0 && keeps_time(i))

/* What has no meaning any more gets one value, so that there are fewer states. */
inline hush(i) {
    h[i].call = quiet;
    h[i].age = 0;
    h[i].proof = false
}

inline end_command(i) {
    h[i].command = absent;
    h[i].role = finished;
    hush(i)
}

/* Back to the wait for the lock, without a lease that counts. */
inline wait_again(i) {
    h[i].role = waiting;
    h[i].kill_left = 0;
    h[i].quarantine = 0;
    h[i].recorded = false;
    h[i].quarantined_lease = false;
    hush(i)
}

/* The blob has another version: nobody who saw the one before can acquire it (If-Match). */
inline write_blob() {
    contender_saw = nothing;
    acquire_saw = nothing
}

/* Only a running command can do harm. The assert is the property. */
inline start(i) {
    h[i].command = running;
    assert(contender != holding)
}

inline new_deadline(i) {
#ifdef ANSWER
    h[i].kill_left = TTL - MARGIN
#else
    h[i].kill_left = (h[i].age < TTL - MARGIN -> TTL - MARGIN - h[i].age : 0)
#endif
}

inline tick_host(i) {
    if
    :: !h[i].slow -> h[i].slow = true          /* the clock misses this tick */
    :: true ->
        if
        :: h[i].kill_left > 0 -> h[i].kill_left--
        :: else
        fi;
        if
        :: h[i].call != quiet && h[i].age < TTL - MARGIN -> h[i].age++
        :: else
        fi;
        if
        :: h[i].quarantine > 0 -> h[i].quarantine--
        :: else
        fi
    fi
}

/* Nothing that matters can happen without a command and without somebody who could start it. */
#if defined(BELIEVE) || defined(LIVE)
#define WHILE_IT_MATTERS
#else
#define WHILE_IT_MATTERS provided (h[0].role != finished && (h[0].command != absent || (h[0].azlock && h[0].guard)))
#endif

active proctype Time() WHILE_IT_MATTERS {
    do
    :: atomic {
        !must_end(0) ->
        if
        :: lease_left > 0 && (holder == 0 || (holder == 1 && contender == waiting)) ->
            lease_left--;
            if
            :: lease_left == 0 && state == leased -> state = expired
            :: lease_left == 0 && state == breaking -> state = broken
            :: else
            fi
        :: else
        fi;
        tick_host(0);
        if
        :: contender_waits > 0 -> contender_waits--
        :: else
        fi
    }
    od
}

active proctype Service() WHILE_IT_MATTERS {
    do
    :: atomic {
        h[0].call == asked ->
        if
        :: h[0].role == waiting && free ->
            h[0].quarantined_lease = may_run;
            state = leased; holder = 0; lease_left = TTL; h[0].call = granted
        :: h[0].role != waiting && holder == 0 && (state == leased || state == expired) ->
            state = leased; lease_left = TTL; h[0].call = granted
        :: else -> h[0].call = denied
        fi
    }
    :: atomic { losses > 0 && h[0].call != quiet -> losses--; hush(0) }
    od
}

inline contender_settles() {
    state = leased; holder = 1; lease_left = TTL; contender = settling;
    contender_saw = nothing; contender_lost = false;
#ifndef NOQUARANTINE
    contender_waits = (contender_keeps -> TTL + 1 : 0);
#endif
    if
    :: contender_keeps && former -> former = false; write_blob()   /* its lease outlasts that command */
    :: true
    fi
}

/* While it settles and holds, the contender renews in time. */
active proctype Contender() WHILE_IT_MATTERS {
    do
    :: atomic {
        contender == waiting && contender_saw == nothing && free ->
        contender_saw = seen; contender_keeps = (may_run || (contender_lost && contender_keeps))
    }
    /* acquires the version that it saw; the request or its answer may be lost */
    :: atomic {
        contender == waiting && contender_saw == seen ->
        if
        :: free -> contender_settles()
        :: free && lost_acquires > 0 ->
            lost_acquires--; state = leased; holder = 1; lease_left = TTL; contender_saw = nothing; contender_lost = true
        :: lost_acquires > 0 -> lost_acquires--; contender_saw = nothing; contender_lost = true
        :: !free -> contender_saw = nothing; contender_lost = false; contender_keeps = false
        fi
    }
    /* an acquire without an answer is looked up by a renew of its id */
#ifdef REACQUIRE
    :: atomic {
        contender == waiting && contender_saw == nothing && contender_lost && state == leased -> contender_saw = seen_leased
    }
    :: atomic {
        contender == waiting && contender_saw == seen_leased ->
        if
        :: free || (holder == 1 && state == leased) -> contender_settles()
        :: else -> contender_saw = nothing; contender_lost = false; contender_keeps = false
        fi
    }
#else
    :: atomic {
        contender == waiting && contender_saw == nothing && contender_lost && state == leased ->
        if
        :: holder == 1 -> contender_settles()
        :: else -> contender_lost = false; contender_keeps = false
        fi
    }
#endif
    :: atomic {
        giveups > 0 && (contender == settling || (contender == waiting && contender_lost)) ->
        giveups--;
        if
#ifndef RELEASE
        :: contender_keeps && holder == 1      /* the lease ends by itself, later than the former holder's command */
        :: !contender_keeps && holder == 1 -> state = available; holder = NONE; lease_left = 0
#else
        :: holder == 1 -> state = available; holder = NONE; lease_left = 0
#endif
        :: true                                /* it died, or its release was lost */
        :: else
        fi;
        contender = waiting; contender_waits = 0; contender_keeps = false; contender_saw = nothing; contender_lost = false
    }
    :: atomic {
        contender == settling && contender_waits == 0 ->
        contender = holding; contender_keeps = false; ended = false; former = false; write_blob();
        assert(h[0].command != running);
#ifdef BELIEVE
        assert(!outsider)
#endif
    }
    od
}

/* Another tool acquires the lease and releases it. */
active proctype Stranger() WHILE_IT_MATTERS {
    do
    :: atomic {
        strangers > 0 && (state == expired || state == broken) ->
        strangers--; holder = NONE; lease_left = 0;
        if
#ifdef STRANGER_EXPIRES
        :: state = expired
#else
        :: state = available
#endif
        fi
    }
    od
}

/* azlock lease acquire, perhaps under the id of the lock's holder (--proposed-id). First it writes what must be kept: on a
 * free lock, or under the lease that has its id. Then it acquires the version that it wrote or saw. It may die after each
 * step; a lease of another id is released or expires. */
active proctype LeaseAcquire() WHILE_IT_MATTERS {
    do
    :: atomic {
        acquires > 0 && acquire_saw == nothing && (free || (holder == 0 && state == leased)) ->
        if
#ifdef FORGETS
        :: free -> acquire_saw = (may_run -> seen : seen_over)
#else
        :: free && may_run && !ended && !former ->
            former = true; state = available; holder = NONE; lease_left = 0; write_blob(); acquire_saw = seen
        :: free && (former || ended || !may_run) -> acquire_saw = (state == expired && !may_run -> seen_over : seen)
#endif
#ifdef LEASE_FIRST
        :: !free -> acquire_saw = seen
#else
        :: !free ->
            if
            :: !ended && !former -> former = true; write_blob()
            :: else
            fi;
            acquire_saw = seen
#endif
        fi
    }
    :: atomic {
        (acquire_saw == seen || acquire_saw == seen_over) ->
        acquires--;
        if
        :: free ->
            holder = NONE; lease_left = 0;
            if
            :: acquire_saw == seen_over -> ended = true; write_blob()
            :: true
            fi;
            if
            :: state = expired
            :: state = available
            fi;
            acquire_saw = nothing
        :: free || (holder == 0 && state == leased) ->    /* its id is the holder's */
            state = leased; holder = 0; lease_left = TTL;
            acquire_saw = (acquire_saw == seen_over -> leased_over : nothing)
        :: else -> acquire_saw = nothing
        fi
    }
    :: atomic {
        acquire_saw == leased_over ->
        acquire_saw = nothing;
        if
        :: holder == 0 && (state == leased || state == breaking) -> ended = true; contender_saw = nothing
        :: true
        fi
    }
    od
}

#ifdef BELIEVE
/* It has the holder's lease id, and proves it by a renew. */
active proctype Outsider() {
    do
    :: atomic {
        !outsider && holder == 0 && h[0].command != absent && (state == leased || state == expired) ->
        state = leased; lease_left = TTL; outsider = true
    }
    od
}
#endif

proctype Azlock(byte i) WHILE_IT_MATTERS {
    do
    /* ask: acquire or renew */
    :: atomic {
        up(i) && h[i].call == quiet && h[i].role != finished ->
        h[i].call = asked; h[i].age = 0; h[i].proof = (h[i].command == frozen)
    }
    /* an acquire that took too long: azlock gives it up, and releases its lease or lets it end */
    :: atomic {
        up(i) && h[i].role == waiting && h[i].call == granted && h[i].age >= TTL - MARGIN - KILL_AFTER ->
        if
        :: holder == i && !h[i].quarantined_lease -> state = available; holder = NONE; lease_left = 0
        :: else
        fi;
        wait_again(i)
    }
    :: atomic {
        up(i) && h[i].role == waiting && h[i].call == granted && h[i].age < TTL - MARGIN - KILL_AFTER ->
        new_deadline(i);
        hush(i);
        h[i].role = settling;
        h[i].recorded = false;
        h[i].quarantine = 0;
#ifndef NOQUARANTINE
        if
        :: h[i].quarantined_lease -> h[i].quarantine = TTL + 1   /* our own clock may miss no tick */
        :: else
        fi
#endif
    }
    :: atomic { up(i) && h[i].role == waiting && h[i].call == denied -> wait_again(i) }
    /* before the command starts: azlock keeps the lease and waits for the end of the quarantine */
    :: atomic {
        up(i) && h[i].role == settling && h[i].kill_left <= KILL_AFTER -> wait_again(i)
    }
    :: atomic {
        up(i) && h[i].role == settling && h[i].quarantine == 0 && !h[i].recorded &&
        holder == i && (state == leased || state == breaking) ->
        ended = false; former = false; write_blob(); h[i].recorded = true
    }
    :: atomic {
        up(i) && h[i].role == settling && h[i].call == quiet && h[i].recorded && h[i].kill_left > KILL_AFTER &&
        h[i].guard -> h[i].role = holding; start(i)
    }
    :: atomic {
        up(i) && h[i].role == settling && h[i].call == granted && h[i].kill_left > KILL_AFTER -> new_deadline(i); hush(i)
    }
    :: atomic { up(i) && h[i].role == settling && h[i].call == denied -> wait_again(i) }
    /* while the command runs */
    :: atomic {
        up(i) && h[i].role == holding && h[i].call == granted && h[i].command == running ->
        new_deadline(i); hush(i)
    }
    /* the lease is proved: the record is written again, and then the command goes on */
    :: atomic {
        up(i) && h[i].role == holding && h[i].call == granted && h[i].command == frozen ->
        if
        :: h[i].proof -> new_deadline(i); h[i].recorded = false;
#ifdef THAW_FIRST
            if
            :: h[i].kill_left > 0 -> start(i)
            :: else
            fi
#endif
        :: else
        fi;
        hush(i)
    }
    :: atomic {
        up(i) && h[i].role == holding && !h[i].recorded && h[i].kill_left > 0 && holder == i &&
        (state == leased || state == breaking) ->
        ended = false; former = false; write_blob(); h[i].recorded = true;
        if
        :: h[i].command == frozen -> start(i)
        :: else
        fi
    }
    :: atomic {
        up(i) && h[i].role == holding && h[i].call == denied ->
        if
        /* TERM now, KILL before the lease ends. A frozen command gets no time: its record is not written again */
        :: state == breaking && holder == i && lease_left > 1 && h[i].command == running ->
            h[i].kill_left = (lease_left - 1 < KILL_AFTER -> lease_left - 1 : KILL_AFTER);
            h[i].call = granted; h[i].age = TTL - MARGIN                       /* send no more renews */
        :: else ->
#ifdef TERM_ON_LOSS
            if
            :: h[i].command == frozen -> start(i)
            :: else
            fi;
            h[i].kill_left = KILL_AFTER; hush(i); h[i].stopped = true
#else
            end_command(i)
#endif
        fi
    }
    /* a frozen command is killed in the end if nothing proves its lease */
    :: atomic { up(i) && h[i].command == frozen -> end_command(i) }
    /* the command ends; the record says so and the lease is released, or both are lost */
    :: atomic {
        up(i) && h[i].role == holding && h[i].command == running ->
        end_command(i);
        if
        :: holder == i -> ended = true; state = available; holder = NONE; lease_left = 0
        :: holder == i && state == leased -> ended = true
        :: true
        fi
    }
    od
}

/* The guard ends the command at its KILL point; azlock does if the guard does not. */
proctype Keeper(byte i) WHILE_IT_MATTERS {
    do
    :: atomic { must_end(i) -> end_command(i) }
#ifndef NOGUARD
    /* the guard sees that azlock is dead */
    :: atomic { h[i].command == running && !h[i].azlock && h[i].guard && !h[i].paused -> end_command(i) }
    :: atomic { h[i].command == frozen && !h[i].azlock && h[i].guard && !h[i].paused -> end_command(i) }
#endif
    od
}

proctype Trouble(byte i) WHILE_IT_MATTERS {
    do
    :: atomic { crashes > 0 && h[i].azlock -> crashes--; h[i].azlock = false; hush(i) }
#ifndef NOGUARD
    /* the command dies with its guard; azlock ends the rest */
    :: atomic {
        crashes > 0 && h[i].guard -> crashes--; h[i].guard = false;
        if
        :: h[i].command != absent -> end_command(i)
        :: else
        fi
    }
#endif
    :: atomic { pauses > 0 && h[i].azlock && !h[i].stopped && !h[i].paused -> pauses--; h[i].stopped = true }
    :: atomic { h[i].stopped && h[i].command == absent -> h[i].stopped = false }
    :: atomic {
        pauses > 0 && !h[i].paused -> pauses--; h[i].paused = true;
        if
        :: h[i].command == running -> h[i].command = asleep
        :: else
        fi
    }
    :: atomic {
        h[i].paused -> h[i].paused = false;
        if
        :: h[i].command == asleep ->
#ifdef NOCHECK
            start(i)
#else
            h[i].command = frozen;                 /* answers to older calls prove nothing: see `proof` */
            h[i].recorded = true;
            h[i].kill_left = 0                     /* until the lease is proved */
#endif
        :: else
        fi
    }
    od
}

proctype Operator() WHILE_IT_MATTERS {
    do
    :: atomic { breaks > 0 && holder == 0 && (state == leased || state == expired) -> breaks--; state = broken; lease_left = 0 }
    :: atomic {
        breaks > 0 && holder == 0 && state == leased -> breaks--; state = breaking;
        if
        :: lease_left > 2 -> lease_left = 2
        :: else
        fi
    }
    od
}

#ifdef LIVE
/* The holder's host dies at some moment. No message is lost. */
proctype Death() {
    atomic { h[0].azlock = false; h[0].guard = false; h[0].call = quiet; h[0].command = absent }
}
ltl gets_in { <> (contender == holding) }
#endif

init {
    atomic {
        run Azlock(0);
        run Keeper(0);
#ifdef LIVE
        run Death();
#else
        run Trouble(0);
        run Operator();
#endif
    }
}

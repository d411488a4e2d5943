import { commitInPlace } from './commit-in-place.ts';
import type { InPlace } from './commit-in-place.ts';
import { findBesides } from './find-besides.ts';
import { leaveCheckout } from './leave-checkout.ts';
import { takeCheckout } from './take-checkout.ts';
import type { Checkout } from '../contract/world.ts';

export const openCheckout = (place: InPlace): Checkout => ({
  take: (order) => takeCheckout(place, order),
  commit: (order) => commitInPlace(place, order),
  leave: (options) => leaveCheckout(place, options),
  besides: (order) => findBesides(place, order),
});

/*
 * peer.h - what contexts see of each other's memory.
 */
#ifndef PX_CUDA_DRIVER_PEER_H
#define PX_CUDA_DRIVER_PEER_H

#include "cuda/driver/driver.h"

/* The context has got its virtual device: it and all others see of each other what a chip shows them. */
void px_cu_peers_meet(struct px_cu_context *context);
/* The context ends. Its virtual device goes once nobody who saw it has work under way. */
void px_cu_peers_part(struct px_cu_context *context);
/* Lets those go that have ended and that nobody uses any more. */
void px_cu_peers_tidy(void);

#endif
